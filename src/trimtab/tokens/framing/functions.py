"""Function schemas as OpenAI's models read them: text, which is then tokenised.

Sources: openai/harmony, published system prompts of GPT-4o and GPT-5, and recorded
requests; see `openai_types` for the types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...jsontext import jsontext
from ..schemas import Tool
from .openai_types import SchemaTooLarge, comment, parameters

_NAMESPACE: Final = "namespace functions {{\n\n{}\n\n}} // namespace functions"
_GROUPED: Final = (
    "## Namespace: functions\n\n### Target channel: commentary\n\n### Tool definitions\n{}"
)


def namespace(tools: Sequence[Tool]) -> str:
    """The declarations as models before GPT-5 read them, and gpt-oss."""
    return _NAMESPACE.format(declarations(tools))


def grouped(tools: Sequence[Tool]) -> str:
    """The declarations as GPT-5 and later models read them."""
    return _GROUPED.format(declarations(tools))


def declarations(tools: Sequence[Tool]) -> str:
    """One declaration a tool; one that is no function, or too deep, as its JSON."""
    return "\n\n".join(map(_declaration, tools))


def _declaration(tool: Tool) -> str:
    value: Any = tool.value
    if tool.kind == "tool_search" and isinstance(value, Mapping):  # one that the caller runs
        described, schema = str(value.get("description") or ""), value.get("parameters")
        tool = Tool("tool_search", described, schema, "function", value)
    if tool.kind != "function" or not tool.name:
        return jsontext(value)
    try:
        return f"{comment(tool.description)}type {tool.name} = {_input(tool)} => any;"
    except (RecursionError, SchemaTooLarge):
        return jsontext(tool.value)


def _input(tool: Tool) -> str:
    """A function's parameters; a custom tool takes free text, in a grammar if it has one."""
    value: Any = tool.value
    if not isinstance(value, Mapping) or value.get("type") != "custom":
        return parameters(tool.schema)
    inner = value.get("custom")
    written = (inner if isinstance(inner, Mapping) else value).get("format")
    grammar = written.get("grammar", written) if isinstance(written, Mapping) else None
    definition = grammar.get("definition") if isinstance(grammar, Mapping) else None
    return f"(FREEFORM\n{definition})" if isinstance(definition, str) else "(FREEFORM)"
