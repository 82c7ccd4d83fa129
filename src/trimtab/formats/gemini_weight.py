"""What the parts of a Gemini content cost."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Mapping, Sequence
from typing import Any, Final

from .content import as_data, as_text, listed
from .gemini_parts import ANSWER, CALL, spelled
from .objects import getter
from .weight import Call, Media, Weight

_SIGNATURES: Final = ("thoughtSignature", "thought_signature")
_KINDS: Final = ("image", "audio", "video")
_BYTES: Final = (bytes, bytearray)


def weigh_parts(parts: Sequence[Any], weight: Weight) -> None:
    """Weigh parts; a text alone counts as a part."""
    for part in parts:
        _weigh_part(part, weight)


def _weigh_part(part: Any, weight: Weight) -> None:
    if isinstance(part, str):
        weight.texts.append(part)
        return
    get = getter(part)
    text = get("text")
    if isinstance(text, str):
        if get("thought"):
            weight.reasoning += (text,)
        else:
            weight.texts.append(text)
        return
    if (call := spelled(part, CALL)) is not None:
        weight.calls += (_call(getter(call)),)
        # The thoughts before a call, which its signature holds, are sent back with it. Those
        # of a text belong to a turn that is over, and are left out by the API.
        weight.hidden += _length(spelled(part, "thoughtSignature"))
    elif (result := spelled(part, ANSWER)) is not None:
        weight.results += (_result(getter(result)),)
    elif (blob := spelled(part, "inlineData") or spelled(part, "fileData")) is not None:
        _weigh_blob(blob, part, weight)
    elif (code := spelled(part, "executableCode")) is not None:
        weight.texts.append(as_text(getter(code)("code")))
    elif (ran := spelled(part, "codeExecutionResult")) is not None:
        weight.texts.append(as_text(getter(ran)("output")))
    elif left := _unsigned(part):
        weight.values += (left,)


def _call(get: Any) -> Call:
    args = get("args")
    return Call(as_text(get("name")), {} if args is None else args)


def _result(get: Any) -> Weight:
    response = get("response")
    result = Weight("function", name=as_text(get("name")))
    if response is not None:
        result.values = (response,)
    weigh_parts(listed(get("parts")), result)
    return result


def _weigh_blob(blob: Any, part: Any, weight: Weight) -> None:
    mime, data = as_text(spelled(blob, "mimeType")), getter(blob)("data")
    if mime.startswith("text/") and (written := _decoded(data)) is not None:
        weight.texts.append(written)
        return
    kind = mime.partition("/")[0]
    known = kind if kind in _KINDS else "document"
    weight.media += (Media(known, as_data(data), _detail(part)),)


def _detail(part: Any) -> str:
    """The resolution asked for: ``low`` to ``ultra_high``, or ``auto``."""
    asked = spelled(part, "mediaResolution")
    level = asked if isinstance(asked, str) else getter(asked)("level")
    return str(level or "auto").lower().removeprefix("media_resolution_")


def _decoded(data: Any) -> str | None:
    try:
        raw = data if isinstance(data, _BYTES) else b64decode(data)
    except (Error, TypeError, ValueError):
        return None
    return raw.decode(errors="replace")


def _unsigned(part: Any) -> Any:
    """A part of unknown kind without its signature, None where nothing is left."""
    if hasattr(part, "model_dump"):
        part = part.model_dump(exclude_none=True)
    if not isinstance(part, Mapping):
        return part
    free = (*_SIGNATURES, "thought")
    return {key: value for key, value in part.items() if key not in free} or None


def _length(signature: Any) -> int:
    return len(signature) if isinstance(signature, (str, *_BYTES)) else 0
