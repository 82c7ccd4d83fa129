"""The pages on shrinking and summaries name all that there is, and no link of any page is dead."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from trimtab import ClearResults, Policy, Summary
from trimtab.shrink.clearing import Results
from trimtab.shrink.passes import Media, Reasoning, Repeats
from trimtab.show.account import WAYS
from trimtab.summary.frame import HEAD
from trimtab.summary.prompt import VERSION, sections

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
SHRINKING = (DOCS / "shrinking.md").read_text("utf-8")
SUMMARIES = (DOCS / "summaries.md").read_text("utf-8")
ROWS = [line for line in SHRINKING.splitlines() if line.startswith("|")]


@pytest.mark.parametrize("code", sorted({one.reason for one in (Results, Media, Repeats, Reasoning)} | set(WAYS)))
def test_every_way_to_shrink_has_a_row(code: str) -> None:
    """With its code as the ledger has it, which the picture knows too."""
    assert any(row.endswith(f"| `{code}` |") for row in ROWS)
    assert code in WAYS


@pytest.mark.parametrize("name", [field.name for field in fields(Policy)])
def test_every_field_of_a_policy_is_named(name: str) -> None:
    """On one of the two pages."""
    assert re.search(rf"\b{name}\b", SHRINKING + SUMMARIES)


@pytest.mark.parametrize("name", [field.name for field in fields(ClearResults)])
def test_every_field_of_clearing_is_named(name: str) -> None:
    assert re.search(rf"`{name}`|\b{name}=", SHRINKING)


@pytest.mark.parametrize("name", [field.name for field in fields(Summary) if field.init])
def test_every_field_of_a_summary_is_named(name: str) -> None:
    assert re.search(rf"\b{name}\b", SUMMARIES)


def test_the_prompt_is_told_as_it_is() -> None:
    """Its version, its sections in their order, and the line that frames a summary."""
    assert f"summary/prompt_v{VERSION}.toml" in SUMMARIES
    assert ", ".join(section.name.lower() for section in sections()) in SUMMARIES.replace("\n", " ")
    assert SUMMARIES.count(HEAD) >= 2


def test_the_picture_leads_everywhere() -> None:
    """Every box of the diagram is reached from the first, and every arrow has two known ends."""
    found = re.search(r"```mermaid\nflowchart TD\n(.*?)```", SHRINKING, re.DOTALL)
    assert found
    text = re.sub(r'["{\[]+".*?"[}\]]+', "", re.sub(r'-- (".*?"|\w+) -->', "-->", found[1]))
    text = re.sub(r'[\[{]".*?"[\]}]', "", text)
    arrows = re.findall(r"(\w+) --> (\w+)", text)
    assert len(arrows) == found[1].count("-->")
    boxes = {name for arrow in arrows for name in arrow}
    assert boxes == set(re.findall(r'\b(\w+)[\[{]"', found[1]))
    reached = {"new"}
    for _ in boxes:
        reached |= {end for start, end in arrows if start in reached}
    assert reached == boxes


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """To files that are there, and to headings that they have."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        linked = page if not name else page.parent / name
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text("utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings]
            assert anchor in slugs, target
