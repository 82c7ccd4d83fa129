"""Values as the JSON text that a provider would see, for counting only."""

from __future__ import annotations

import json
from typing import Any


def jsontext(value: Any) -> str:
    """Compact JSON of a value, or its ``str`` where it is no JSON value.

    The text is only ever counted; nothing that is returned to the caller passes
    through here.
    """
    if hasattr(value, "model_dump"):
        value = value.model_dump(exclude_none=True)
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return str(value)
