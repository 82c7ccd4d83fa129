"""Filling a template: everything is escaped, and nothing but the page's own script may run."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from ..safe import safe

MARK: Final = "<!-- a page written by trimtab -->"
"""How a page of ours begins, so that no other file is ever written over."""

_HTML: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028"}
_HTML_ESCAPES: Final = str.maketrans({**_HTML, "\u2029": "\\u2029"})


def render(package: str, template: str, script: str = "", **context: Any) -> str:
    """The page of a template in the ``templates`` of a package.

    ``context`` are its variables. Of ``script``, which is trusted, the policy of the page allows
    just these bytes; nothing is loaded from anywhere. Mappings go into the page with ``data(name)``
    as JSON that holds no mark-up.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loaders = [PackageLoader(package), PackageLoader("trimtab.pages")]
    made = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["safe_text"] = safe
    allowed = b64encode(sha256(script.encode()).digest()).decode() if script else ""
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    if allowed:
        policy += f"; script-src 'sha256-{allowed}'"
    page = made.get_template(template).render(policy=policy, script=script, **context)
    return f"{MARK}\n{page}"


def data(value: Mapping[str, Any]) -> str:
    """JSON for a script block of a page: no character of it can end the block."""
    return quoted(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def quoted(text: str) -> str:
    """JSON with every character escaped that could end a script block or cannot be encoded."""
    return text.translate(_HTML_ESCAPES).encode("utf-8", "backslashreplace").decode()
