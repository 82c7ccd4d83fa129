"""Chat templates, rendered as Hugging Face documents it: Jinja with a few additions.

A template is code that came with a model. It runs in Jinja's immutable sandbox, which
keeps it from Python, files and the network; it cannot keep a hostile one from being slow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from ..errors import InvalidOptions
from .gauge import Refused

if TYPE_CHECKING:
    from jinja2 import Template as Compiled

_TODAY: Final = datetime(2026, 9, 30)  # noqa: DTZ001 - a day, and no clock: equal input, equal counts


class Template:
    """A chat template with the special tokens and the variables it is rendered with.

    ``source`` is the template, or several by name, of which ``tool_use`` is taken for
    requests with tools. Raises `InvalidOptions` where it is no valid template or jinja2
    is not installed.
    """

    def __init__(self, source: str | Mapping[str, str], variables: Mapping[str, Any]) -> None:
        self.asks_date = False
        named = {"default": source} if isinstance(source, str) else source
        compiled = _compile(named, self._now)
        self._default = compiled.get("default") or next(iter(compiled.values()))
        self._with_tools = compiled.get("tool_use") or self._default
        self._variables = dict(variables)

    def render(self, messages: Sequence[Any], tools: Sequence[Any] | None) -> str:
        """The text of a request with its reply begun; `Refused` where the template fails."""
        template = self._with_tools if tools else self._default
        given = {"documents": None, "add_generation_prompt": True, **self._variables}
        try:
            return template.render(messages=messages, tools=tools, **given)
        except Exception as error:
            raise Refused(type(error).__name__) from error

    def _now(self, format: str) -> str:
        self.asks_date = True
        return _TODAY.strftime(format)


def _compile(sources: Mapping[str, str], now: Any) -> dict[str, Compiled]:
    try:
        from jinja2 import TemplateSyntaxError
    except ImportError:
        raise InvalidOptions("a chat template needs the package jinja2") from None
    environment = _environment(now)
    try:
        return {name: environment.from_string(text) for name, text in sources.items()}
    except TemplateSyntaxError as error:
        raise InvalidOptions(f"the chat template is not valid in line {error.lineno}") from error


def _environment(now: Any) -> Any:
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """``{% generation %}``, which marks what a model said and renders as nothing."""

        tags = {"generation"}  # noqa: RUF012 - as jinja2 has it

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    environment: Any = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = now
    return environment


def _refuse(message: str = "") -> str:
    raise Refused(message)


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON without HTML's escapes, which Jinja's own filter has."""
    return json.dumps(  # noqa: TID251 - the text is only counted
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )
