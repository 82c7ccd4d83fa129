"""The arguments of calls, and what stands for those that were removed."""

from __future__ import annotations

from typing import Any, Final

from .objects import getter, shallow

_KEY: Final = "cleared"


def cleared_arguments(arguments: Any, said: str) -> Any:
    """What stands for arguments: an object, written as JSON where they were a text.

    ``said`` is plain words: no quotes, backslashes or control characters.
    """
    return f'{{"{_KEY}": "{said}"}}' if isinstance(arguments, str) else {_KEY: said}


def with_cleared(call: Any, said: str, *fields: str) -> Any:
    """A shallow copy of a call with other arguments in the first of ``fields`` that it has.

    A free text, which stands in ``input``, gives way to a text.
    """
    get = getter(call)
    field = next((name for name in fields if get(name) is not None), None)
    if field is None:
        return call
    free = field == "input" and isinstance(get(field), str)
    return shallow(call, **{field: f"[{said}]" if free else cleared_arguments(get(field), said)})
