"""The table of faults is complete and true: held to the source, to scripts, and to damage."""

from __future__ import annotations

import ast
import re
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import strategies as st
from support import langchain_messages, llama_index_messages, mcp_messages
from support import pydantic_ai_messages, vercel_messages
from support.agents_items import from_items
from support.forall import forall
from support.generate import damaged_histories
from support.generate_responses import damaged_responses
from support.scripts import WRITERS, asks, human, say, system, tool
from support.strict_histories import SHAPES, damaged_strict
from trimtab import InvalidHistory, check, repair
from trimtab.faults import Fault
from trimtab.formats.registry import FORMATS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "faults.md").read_text("utf-8")
ROWS = {
    cells[0].strip("`"): dict(
        zip(("error", "formats", "meaning", "theirs", "says", "does"), cells[1:])
    )
    for cells in (
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in PAGE.splitlines()
        if line.startswith("| `")
    )
}
OF_LINES = {"unreadable_line", "broken_link"}
CODE = re.compile(r"[a-z]+(_[a-z]+)+|misplaced|malformed")


def emitted():
    """(code, words) for every place in the source that makes a fault; "…" for what is filled in."""
    trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "src").rglob("*.py")]
    names = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.AST):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name):
                    names.setdefault(target.id, []).append(node.value)
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                given = {word.arg: word.value for word in node.keywords}
                if called in ("Fault", "_fault", "Broken", "LineFault"):
                    yield from _pairs(node.args[0], node.args[-1], names)
                elif "code" in given:
                    yield from _pairs(given["code"], node.args[0] if node.args else None, names)
            elif isinstance(node, ast.Tuple) and len(node.elts) == 3:
                code, id, words = node.elts
                if isinstance(code, ast.Constant) and not _texts(id, {}):
                    yield from _pairs(code, words, names)


def _pairs(code, words, names):
    codes = [text for text in _texts(code, names) if CODE.fullmatch(text)]
    return [(one, text) for one in codes for text in _texts(words, names) or [""]]


def _texts(node, names):
    """The texts that an expression may be, as far as they stand in the source."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return ["".join(p.value if isinstance(p, ast.Constant) else "…" for p in node.values)]
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body, names), *_texts(node.orelse, names)]
    if isinstance(node, ast.Subscript):
        return _texts(node.value, names)
    if isinstance(node, ast.Dict):
        return [text for value in node.values for text in _texts(value, names)]
    if isinstance(node, ast.Name):
        values = [value for value in names.pop(node.id, [])]
        found = [text for value in values for text in _texts(value, names)]
        names[node.id] = values
        return found
    return []


EMITTED = set(emitted())


def formats_of(cell):
    named = set(re.findall(r"`([\w-]+)`", cell))
    return set(FORMATS) - named if cell.startswith("all") else named


def test_every_code_in_the_source_has_a_row_and_no_row_is_stale():
    assert {code for code, _ in EMITTED} == set(ROWS)


def test_the_error_is_the_one_that_is_raised():
    for code, row in ROWS.items():
        assert row["error"] == f"`{type(Fault(code, 0, None, '').error()).__name__}`"


def test_the_words_are_those_of_the_source():
    everything = {words for _, words in EMITTED} | {
        text for path in (ROOT / "src").rglob("*.py") for text in _called_malformed(path)
    }
    for code, row in ROWS.items():
        own = everything if code == "malformed" else {w for c, w in EMITTED if c == code}
        said = re.findall(r'"([^"]+)"', row["says"])
        assert said
        if code == "unknown_role":
            said, own = [said[0].replace("'", "")], {text.replace("'", "") for text in own}
        assert set(said) <= own, code


def _called_malformed(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "malformed":
            yield from _texts(node.args[0], {})


def test_every_code_has_an_example_that_is_run():
    examples = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^### |\Z)", PAGE, re.M | re.S))
    assert set(examples) == set(ROWS)
    for code, text in examples.items():
        assert re.search(rf"^{code} ", text, re.M), code


SCRIPTS = [
    [human(), tool("a"), say()],
    [human(), asks("a"), human(), say()],
    [human(), asks("a", "a")],
    [human(), asks("a", "a"), tool("a"), say()],
    [human(), asks("a"), tool("a"), say(), human(), asks("a"), tool("a"), say()],
    [human(), asks("a"), tool("a"), tool("a"), say()],
    [human(), asks("a"), human(), tool("a"), say()],
    [human(), system(), say()],
    [human(), say(), system(), human(), say()],
    [human(), asks("a"), system(), tool("a"), say()],
    [human(), human(), say()],
    [human(), asks("a"), tool("a"), human(), say()],
    [human(), asks("a", "b"), tool("a"), tool("b"), say()],
    [human(), say(), human()],
    [human(""), say()],
    [human(), say(""), human(), say()],
    [human(), {"role": "assistant", "content": None}, human(), say()],
]
ITEMS = [{"role": "user", "content": "hi"}, {"type": "reasoning", "id": "r", "summary": []}]
ITEMS += [ITEMS[0]]
CALLED = [human(), asks(None)]
RAW = {
    "gemini": {"role": "user", "parts": 5},
    "sharegpt": {"from": "human", "value": None},
    "openai-responses": {"role": "user", "content": 5},
    "openai-agents": {"role": "user", "content": 5},
    "vercel-ui": {"role": "user", "parts": 5},
    "pydantic-ai": SimpleNamespace(kind="request", parts=5),
    "llama-index": SimpleNamespace(role="user", blocks=5, additional_kwargs={}),
    "langchain": SimpleNamespace(type="human", content=5),
}
GHOSTS = {
    "langchain": SimpleNamespace(type="ghost", content="hi"),
    "llama-index": SimpleNamespace(role="ghost", blocks=[], additional_kwargs={}),
    "mcp": {"role": "ghost", "content": {"type": "text", "text": "hi"}},
    "vercel-ai": {"role": "ghost", "content": "hi"},
}


def histories(format):
    """Every script in a format, and what only it can say."""
    write = WRITERS[format]
    for script in SCRIPTS:
        if format != "vercel-ui" or any(message["content"] for message in script):
            yield write(script)
    if format in ("openai-responses", "openai-agents"):
        yield ITEMS
    broken = RAW.get(format, {"role": "user", "content": 5})
    yield [broken]
    if format != "pydantic-ai":
        yield [GHOSTS[format]] if format in GHOSTS else write([{"role": "ghost", "content": "hi"}])


@pytest.mark.parametrize("format", FORMATS)
def test_the_formats_are_those_that_know_the_code(format):
    found = {fault.code for one in histories(format) for fault in check(one, format=format)}
    assert found == {code for code, row in ROWS.items() if format in formats_of(row["formats"])}


DOES = {
    "dropped": "drops",
    "answered": "adds",
    "moved": "moves",
    "joined": "joins",
    "edited": "moves",  # results before other content
}


@pytest.mark.parametrize("format", FORMATS)
def test_repair_does_what_the_row_says_or_the_row_says_that_it_cannot(format):
    support = FRAMEWORKS.get(format)
    installed = getattr(support, "installed", None)
    with installed("twin") if installed else nullcontext():
        for messages in histories(format):
            try:
                mended = repair(messages, format=format)
            except InvalidHistory as error:
                assert "cannot mend" in ROWS[error.code]["does"]
                continue
            assert check(mended.messages, format=format) == []
            for done in mended.repairs:
                assert DOES[done.action] in ROWS[done.code]["does"], (done.code, done.action)


FRAMEWORKS = {
    "langchain": langchain_messages,
    "llama-index": llama_index_messages,
    "pydantic-ai": pydantic_ai_messages,
    "vercel-ai": vercel_messages,
    "mcp": mcp_messages,
}


def known(format, messages):
    for fault in check(messages, format=format):
        row = ROWS[fault.code]
        assert format in formats_of(row["formats"]), fault
        assert (fault.code, fault.message) in EMITTED or fault.code in ("malformed", "unknown_role")


@pytest.mark.parametrize("format", ["openai-chat", "anthropic", "gemini"])
def test_damage_finds_nothing_that_the_table_does_not_have(format):
    forall(damaged_histories(format), 60, lambda drawn: known(format, drawn[2]))


def test_damage_of_items_and_of_strict_histories():
    def holds(drawn):
        items, (name, history) = drawn
        known("openai-responses", items[2])
        known("openai-agents", from_items(items[2], "twin"))
        for format in ("mistral", "strict-chat") if name == "chat" else (name,):
            known(format, history[2])

    strict = st.sampled_from(sorted(SHAPES)).flatmap(
        lambda name: damaged_strict(name).map(lambda drawn: (name, drawn))
    )
    forall(st.tuples(damaged_responses(), strict), 60, holds)


def test_damage_of_messages_of_frameworks():
    def holds(drawn):
        for format, support in FRAMEWORKS.items():
            twin = (support.TWIN,) if hasattr(support, "TWIN") else ()
            known(format, support.from_chat(drawn[2], *twin))

    forall(damaged_histories("openai-chat"), 60, holds)
