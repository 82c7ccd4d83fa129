"""Take the screenshots in docs/pictures/ of both pages, from the shipped example.

    python tools/screenshots.py

Needs Debian's chromium (tools/services.py install) and playwright.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "examples"))
sys.path.insert(0, str(ROOT / "tests"))

PAGES: Mapping[str, Mapping[str, Any]] = {
    "show.html": {"height": 1100, "open": 1},
    "replay.html": {"height": 1400},
}


def main() -> None:
    """Write the demo's pages to a folder and take their pictures."""
    import demo
    from support.browser import chromium

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        demo.BUILD = Path(folder)
        demo.pages("anthropic.json")
        for name, wanted in PAGES.items():
            page = browser.new_page(viewport={"width": 1000, "height": wanted["height"]})
            page.goto((Path(folder) / name).as_uri())
            if "open" in wanted:
                page.locator("#units button").nth(wanted["open"]).click()
                page.evaluate("scrollTo(0, 0)")
            target = FOLDER / name.replace(".html", ".png")
            page.screenshot(path=str(target))
            print(f"wrote {target.relative_to(ROOT)}")


if __name__ == "__main__":
    if shutil.which("chromium") is None:
        sys.exit("chromium is not installed: python tools/services.py install")
    main()
