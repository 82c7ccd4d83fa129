"""The page on formats: its table is true, and every section's examples run.

Sections of frameworks are skipped where their packages are absent; `make oracles` has them.
"""

from __future__ import annotations

import doctest
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from trimtab.formats.base import Body
from trimtab.formats.registry import FORMATS, format_named

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
SECTIONS = {
    title.strip("`"): text
    for title, text in re.findall(r"^###? ([^\n]+)\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)
}
EXAMPLES = {title: text for title, text in SECTIONS.items() if ">>>" in text}
IMPORTS = re.compile(r"^>>> (?:from|import) (\w+)", re.M)
TABLE = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in SECTIONS["The table"].splitlines()
    if line.startswith("| `")
]
ROWS = {cells[0].strip("`| "): cells for cells in TABLE}


@pytest.mark.filterwarnings("ignore")  # of the frameworks themselves
@pytest.mark.parametrize("title", EXAMPLES)
def test_examples(title):
    for package in set(IMPORTS.findall(EXAMPLES[title])):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    test = doctest.DocTestParser().get_doctest(EXAMPLES[title], {}, title, "docs/formats.md", 0)
    out: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=out.append)
    assert result.attempted
    assert not result.failed, "".join(out)


def test_every_format_has_a_row_and_an_example():
    assert list(ROWS) == list(FORMATS)
    assert set(FORMATS) | {"Claude Code", "Codex"} <= set(EXAMPLES)


@pytest.mark.parametrize("name", FORMATS)
def test_the_row_says_what_the_format_says(name):
    shape = format_named(name)
    _, _, _, _, reasoning, _, _, head, turns, body, _ = ROWS[name]
    assert head == ("human" if shape.human_head else "free")
    rules = shape.alternation
    closed = ", closed" if rules and rules.closed else ""
    assert turns == ("merged" if shape.merges else f"strict{closed}" if rules else "free")
    assert ("leads a tool loop" in reasoning) == shape.reasoning_head
    made = shape.body({body.strip("` |"): []})
    assert isinstance(made, Body) and body == f"`{made.key}`"


def test_the_error_on_an_unknown_name_lists_what_the_table_lists():
    assert ", ".join(sorted(ROWS)) in SECTIONS["Detection"]
