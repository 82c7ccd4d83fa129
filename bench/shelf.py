"""When a count on disk pays: microseconds to tokenise a text, to recall it, and to write it.

CPU time of real texts cut to a length, best of the runs. Recalled from a file that holds
200,000 other counts, one by one and 64 at a time, the digest included. A text pays for
itself when ``recall`` is below ``tokenise``; ``learn`` is what a text costs more the first
time: a look that finds nothing, and the writing.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from measure import cpu
from rich.console import Console
from rich.table import Table
from speed import engines
from texts import message_texts

from trimtab.tokens.book import Book
from trimtab.tokens.persist import Part

NUMBER = 640
LENGTHS = (128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 65_536)


def cut(length: int) -> list[str]:
    """Distinct texts of this length, from real ones in a row."""
    found, _ = message_texts(length * NUMBER / 0.9e6)
    row = "\n".join(found)
    return [f"{at}{row[at * length : (at + 1) * length]}"[:length] for at in range(len(row) // length)][:NUMBER]


def main() -> None:
    """Print a row for each length."""
    found = engines()
    heads = [f"tokenise, {engine.name}" for engine in found]
    table = Table("characters", *heads, "recall one", "recall 64", "learn")
    with tempfile.TemporaryDirectory() as folder:
        for length in LENGTHS:
            texts = cut(length)
            book = Book(os.path.join(folder, f"{length}.db"), 64 << 20)
            part = Part(book, "bench", 0)
            book.write({os.urandom(16): 1 for _ in range(200_000)})
            part.put_many(dict.fromkeys(texts[::2], 7))
            book.flush()
            known, unknown = texts[::2], texts[1::2]
            groups = [known[at : at + 64] for at in range(0, len(known), 64)]
            row = [cpu(lambda _, e=engine: [e.count(text) for text in known], runs=5).best for engine in found]
            row.append(cpu(lambda _: [part.get_many([text]) for text in known], runs=5).best)
            row.append(cpu(lambda _: [part.get_many(group) for group in groups], runs=5).best)

            def learn(_: object) -> None:
                for text in unknown:
                    part.get_many([text])
                    part.put_many({text: 7})
                book.flush()

            row.append(cpu(learn, runs=1).best)
            book.close()
            table.add_row(f"{length:,}", *[f"{seconds / len(known) * 1e6:,.1f} us" for seconds in row])
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
