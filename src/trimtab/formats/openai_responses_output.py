"""The outputs of tools in an OpenAI Responses input: their texts, and outputs of our own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from .base import Message
from .content import as_text, kind_of, listed, only_part, texts_within, with_texts
from .objects import getter, shallow

# Outputs whose text is free; that of a local shell must be JSON, a program's is the provider's.
_PARTS: Final = frozenset(
    {"function_call_output", "custom_tool_call_output", "apply_patch_call_output"}
)
_SHELL: Final = "shell_call_output"
_STREAMS: Final = ("stdout", "stderr")
# The smallest picture there is, one transparent dot: a screenshot that was never taken.
NO_PICTURE: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBA"
    "Scw5OYAAAAASUVORK5CYII="
)


def texts_of(item: Message) -> list[str] | None:
    """The texts of an output that may be shortened, None for any other item."""
    kind, output = kind_of(item), getter(item)("output")
    if kind == _SHELL:
        return [_stream(chunk, name) for chunk in listed(output) for name in _STREAMS]
    return None if kind not in _PARTS or output is None else texts_within(output)


def with_texts_of(item: Message, texts: Sequence[str]) -> Message:
    """A shallow copy of an output with other texts."""
    output = getter(item)("output")
    if kind_of(item) != _SHELL:
        return shallow(item, output=with_texts(output, texts))
    pairs = zip(texts[::2], texts[1::2], strict=True)
    chunks = [
        shallow(chunk, stdout=out, stderr=err) if _differs(chunk, out, err) else chunk
        for chunk, (out, err) in zip(listed(output), pairs, strict=True)
    ]
    return shallow(item, output=chunks)


def cleared(item: Message, text: str) -> Message:
    """An output of which all is a text; itself where its type wants something else."""
    texts = texts_of(item)
    if not texts:
        return item
    if kind_of(item) == _SHELL:
        return with_texts_of(item, [text, *[""] * (len(texts) - 1)])
    return shallow(item, output=text)


def only_text(item: Message, part: int, text: str) -> Message:
    """An output that holds nothing but ``text`` in the place of one of its texts."""
    output = getter(item)("output")
    if kind_of(item) != _SHELL:
        return shallow(item, output=only_part(output, part, text))
    streams = dict.fromkeys(_STREAMS, "") | {_STREAMS[part % 2]: text}
    return shallow(item, output=[shallow(listed(output)[part // 2], **streams)])


def interrupted(call: Message, text: str) -> Message:
    """An output that answers a call with ``text``, as an error where its type knows errors."""
    get, kind = getter(call), kind_of(call)
    if kind == "mcp_approval_request":
        answer = {"approval_request_id": get("id"), "approve": False, "reason": text}
        return {"type": "mcp_approval_response", **answer}
    of = {"call_id": get("call_id")}
    if kind == "local_shell_call":
        said = json.dumps({"output": text, "metadata": {"exit_code": 1}})  # noqa: TID251 - our own
        return {"type": "local_shell_call_output", "id": get("call_id"), "output": said}
    if kind == "shell_call":
        outcome = {"type": "exit", "exit_code": 1}
        chunk = {"stdout": "", "stderr": text, "outcome": outcome}
        return {"type": _SHELL, **of, "output": [chunk]}
    if kind == "apply_patch_call":
        return {"type": "apply_patch_call_output", **of, "status": "failed", "output": text}
    if kind == "computer_call":
        picture = {"type": "computer_screenshot", "image_url": NO_PICTURE}
        return {"type": "computer_call_output", **of, "output": picture}
    if kind == "tool_search_call":
        return {"type": "tool_search_output", **of, "execution": "client", "tools": []}
    if kind == "program":
        ran = {"result": text, "status": "incomplete"}
        return {"type": "program_output", "id": get("id"), **of, **ran}
    return {"type": f"{kind}_output", **of, "output": text}


def _stream(chunk: Any, name: str) -> str:
    return as_text(getter(chunk)(name))


def _differs(chunk: Any, out: str, err: str) -> bool:
    return (_stream(chunk, "stdout"), _stream(chunk, "stderr")) != (out, err)
