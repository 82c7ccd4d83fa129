"""The recorded example conversations: sound, rich enough to show something, and repeatable."""

import base64
import importlib
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import toolrepair
import turnsafe
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import MistralRequestValidatorV15, ValidationMode

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CHAT, ANTHROPIC = "openai-chat.json", "anthropic.json"
both = pytest.mark.parametrize("name", [CHAT, ANTHROPIC])

Message = dict[str, Any]


def body(name: str) -> dict[str, Any]:
    return json.loads((EXAMPLES / name).read_text(encoding="utf-8"))


def messages(name: str) -> list[Message]:
    return body(name)["messages"]


def blocks(message: Message, kind: str) -> list[Message]:
    """The content blocks of a Messages message that have this type."""
    return [block for block in message["content"] if block["type"] == kind]


def calls(name: str) -> list[list[tuple[str, str, dict[str, Any]]]]:
    """Id, tool and arguments of the calls of every message that has some."""
    if name == CHAT:
        made = [message.get("tool_calls", []) for message in messages(name)]
        found = [
            [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in some]
            for some in made
        ]
    else:
        made = [blocks(message, "tool_use") for message in messages(name)]
        found = [[(call["id"], call["name"], call["input"]) for call in some] for some in made]
    return [some for some in found if some]


def results(name: str) -> list[str]:
    """The text of every tool result."""
    if name == CHAT:
        return [m["content"] for m in messages(name) if m["role"] == "tool"]
    contents = [b["content"] for m in messages(name) for b in blocks(m, "tool_result")]
    return [c if isinstance(c, str) else "".join(b["text"] for b in c) for c in contents]


def human_turns(name: str) -> int:
    """Messages with words of the human."""
    users = [message for message in messages(name) if message["role"] == "user"]
    return len(users if name == CHAT else [m for m in users if blocks(m, "text")])


def schemas(name: str) -> dict[str, dict[str, Any]]:
    """The argument schema of every tool."""
    tools = body(name)["tools"]
    if name == CHAT:
        return {t["function"]["name"]: t["function"]["parameters"] for t in tools}
    return {t["name"]: t["input_schema"] for t in tools}


@pytest.mark.parametrize(("name", "provider"), [(CHAT, "openai"), (ANTHROPIC, "anthropic")])
def test_two_validators_find_no_fault(name: str, provider: Any) -> None:
    assert list(turnsafe.validate(messages(name), provider=provider).violations) == []
    assert toolrepair.validate(messages(name), format=provider) == []


def test_mistral_accepts_the_chat() -> None:
    request: Any = ChatCompletionRequest(messages=messages(CHAT), model="m")
    MistralRequestValidatorV15(ValidationMode.serving).validate_request(request)


@both
def test_long_enough_to_be_cut(name: str) -> None:
    assert len(messages(name)) >= 150
    assert human_turns(name) >= 6
    assert max(len(text.encode()) for text in results(name)) >= 40_000


@both
def test_a_human_is_waiting_for_the_answer(name: str) -> None:
    assert messages(name)[-1]["role"] == "user"


@both
def test_parallel_calls(name: str) -> None:
    sizes = Counter(len(some) for some in calls(name))
    assert set(sizes) <= {1, 2, 3, 4}
    assert sum(sizes[n] for n in (2, 3, 4)) >= 10


@both
def test_ids_are_unique(name: str) -> None:
    ids = [identifier for some in calls(name) for identifier, _, _ in some]
    assert len(set(ids)) == len(ids)
    prefix = "call_" if name == CHAT else "toolu_"
    assert all(re.fullmatch(rf"{prefix}\w{{20,30}}", identifier) for identifier in ids)


@both
def test_calls_follow_their_schema(name: str) -> None:
    known = schemas(name)
    used = [(tool, arguments) for some in calls(name) for _, tool, arguments in some]
    assert {tool for tool, _ in used} == set(known)
    for tool, arguments in used:
        assert set(known[tool]["required"]) <= set(arguments) <= set(known[tool]["properties"])


@both
def test_every_kind_of_failure(name: str) -> None:
    texts = results(name)
    assert any(text.endswith("[exit 1]") and "FAILED (" in text for text in texts)
    assert any("Traceback (most recent call last):" in text for text in texts)
    assert any(text.startswith("garage: ") for text in texts)
    assert any(text.startswith("error: ") for text in texts)


def test_anthropic_marks_failures() -> None:
    marked = [
        block
        for m in messages(ANTHROPIC)
        for block in blocks(m, "tool_result")
        if "is_error" in block
    ]
    failed = [t for t in results(ANTHROPIC) if t.startswith("error: ") or "\n[exit " in t]
    assert len(marked) == len(failed) > 0
    assert all(block["is_error"] is True for block in marked)


def test_anthropic_has_each_shape_of_content() -> None:
    """Results come first, words may follow them, and results are strings or blocks."""
    both_kinds = [m for m in messages(ANTHROPIC) if blocks(m, "tool_result") and blocks(m, "text")]
    assert len(both_kinds) >= 2
    for message in both_kinds:
        kinds = [block["type"] for block in message["content"]]
        assert kinds == sorted(kinds, key=lambda kind: kind != "tool_result")
    contents = [b["content"] for m in messages(ANTHROPIC) for b in blocks(m, "tool_result")]
    assert {type(content) for content in contents} == {str, list}
    every = [block for message in messages(ANTHROPIC) for block in message["content"]]
    assert sum("cache_control" in block for block in every) == 1


def test_the_picture_is_a_png() -> None:
    """One picture, whose size and number of bytes agree."""
    (block,) = [b for m in messages(ANTHROPIC) for b in blocks(m, "image")]
    assert block["source"]["media_type"] == "image/png"
    data = base64.b64decode(block["source"]["data"], validate=True)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth = struct.unpack(">IIB", data[16:25])
    start = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[start - 4 : start])
    pixels = zlib.decompress(data[start + 4 : start + 4 + length])
    assert len(pixels) == height * (1 + -(-width * depth // 8))


@both
def test_nothing_of_the_machine(name: str) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    places = [str(ROOT), str(Path.home()), tempfile.gettempdir(), sys.base_prefix, sys.prefix]
    assert [place for place in places if place in text] == []
    assert (
        re.findall(r"/(?:home|root|tmp|Users|var|private)/|site-packages|0x[0-9a-f]{8,}", text)
        == []
    )
    assert set(re.findall(r"\d+\.\d+s\b", text)) == {"0.010s"}


def test_the_sample_log_can_be_written_again(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "project", tmp_path / "project")
    log = tmp_path / "project" / "data" / "gate-log.csv"
    log.unlink()
    subprocess.run([sys.executable, tmp_path / "project" / "tools" / "make_log.py"], check=True)
    assert log.read_bytes() == (EXAMPLES / "project" / "data" / "gate-log.csv").read_bytes()


@pytest.fixture(scope="module")
def record() -> Iterator[Callable[[str], str]]:
    if shutil.which("git") is None or not Path("/bin/sh").exists():
        pytest.skip("recording needs git and a POSIX shell")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield importlib.import_module("recorder.sessions").record


@both
def test_recording_again_gives_the_same_bytes(name: str, record: Callable[[str], str]) -> None:
    """The tools run for real, twice, in two folders at once."""
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(record, [name, name])
    assert first == second
    if sys.version_info[:2] == (3, 11):
        assert first == (EXAMPLES / name).read_text(encoding="utf-8")
