"""Record the example conversations again: python examples/record.py

Needs Python 3.11, git and a POSIX shell, no network. Takes about fifteen seconds.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from recorder.sessions import SESSIONS, record

HERE = Path(__file__).parent


def main() -> None:
    """Write both files."""
    with ThreadPoolExecutor() as pool:
        for name, text in zip(SESSIONS, pool.map(record, SESSIONS), strict=True):
            (HERE / name).write_text(text, encoding="utf-8")
            print(f"{name}: {len(text):,} characters")


if __name__ == "__main__":
    main()
