"""Numbers that come back as they were written: ``1.10``, ``1e3``, ``1e400``.

Python reads a JSON number as a float and writes it by a rule of its own, so its text would
change, and of some its value: what is larger than any float would be written as ``Infinity``,
which is no JSON.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from typing import Any, cast


class Exact(float):
    """A number whose text differs from what Python writes for it."""

    text: str
    seen = False  # whether there was any; without one the fast writer does

    @classmethod
    def of(cls, text: str) -> Exact:
        """The number that ``text`` writes."""
        made = cls(text)
        made.text = text
        cls.seen = True
        return made


def number(text: str) -> float:
    """A JSON number with a fraction or an exponent; for ``json.loads(parse_float=)``."""
    value = float(text)
    return value if repr(value) == text else Exact.of(text)


def dumps(value: object, indent: int | None) -> str:
    """``value`` as JSON, as ``json.dumps`` writes it but for the numbers that are `Exact`."""
    if not Exact.seen:
        return json.dumps(value, ensure_ascii=False, indent=indent)
    out: list[str] = []
    _write(value, out, None if indent is None else " " * indent, "\n")
    return "".join(out)


def _write(value: Any, out: list[str], step: str | None, start: str) -> None:
    """Append the text of ``value``; ``start`` begins a line where ``step`` makes lines."""
    if isinstance(value, dict) and value:
        rows = cast(dict[str, Any], value).items()
        inside = [(f"{encode_basestring(key)}: ", inner) for key, inner in rows]
        ends = "{}"
    elif isinstance(value, (list, tuple)) and value:
        inside = [("", inner) for inner in cast(list[Any], value)]
        ends = "[]"
    else:
        out.append(
            value.text if isinstance(value, Exact) else json.dumps(value, ensure_ascii=False)
        )
        return
    deeper = "" if step is None else start + step
    before = ends[0] + deeper
    for key, inner in inside:
        out.append(before + key)
        _write(inner, out, step, deeper)
        before = "," + (deeper or " ")
    out.append(("" if step is None else start) + ends[1])
