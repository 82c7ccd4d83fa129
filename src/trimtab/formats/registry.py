"""Formats by name, and which one some messages are in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Final, cast

from ..errors import InvalidOptions, UnknownFormat
from .base import Format, Message, getter

FORMATS: Final = {
    "openai-chat": ("openai_chat", "OpenAIChat"),
    "anthropic": ("anthropic", "Anthropic"),
    "openai-responses": ("openai_responses", "OpenAIResponses"),
    "gemini": ("gemini", "Gemini"),
    "bedrock-converse": ("bedrock_converse", "BedrockConverse"),
    "mistral": ("strict_chat", "Mistral"),
    "strict-chat": ("strict_chat", "StrictChat"),
    "fine-tuning": ("strict_chat", "FineTuning"),
    "sharegpt": ("sharegpt", "ShareGPT"),
    "langchain": ("langchain", "LangChain"),
    "pydantic-ai": ("pydantic_ai", "PydanticAI"),
    "llama-index": ("llama_index", "LlamaIndex"),
    "openai-agents": ("openai_agents", "OpenAIAgents"),
    "vercel-ai": ("vercel_ai", "VercelAI"),
    "vercel-ui": ("vercel_ui", "VercelUI"),
    "mcp": ("mcp", "MCP"),
}
# Objects of a framework are told by their class, whatever provider's content they hold.
_BY_PACKAGE: Final = {
    "langchain_core": "langchain",
    "pydantic_ai": "pydantic-ai",
    "llama_index": "llama-index",
    "mcp": "mcp",
    "mcp_types": "mcp",
}
_PLAIN: Final = "openai-chat"
_BY_MODEL: Final = {"claude": "anthropic"}
_LIKE_A_MESSAGE: Final = ("role", "type", "parts")


def format_named(name: str | Format) -> Format:
    """The format of a name, or a format as it is; `UnknownFormat` lists the names there are."""
    if hasattr(name, "read") and hasattr(name, "weigh"):
        return cast("Format", name)
    if not isinstance(name, str) or name not in FORMATS:
        known = ", ".join(sorted(FORMATS))
        raise UnknownFormat(f"no format is called {name!r}; known are {known}")
    return _loaded(name)


@cache
def _loaded(name: str) -> Format:
    module, cls = FORMATS[name]
    return getattr(import_module(f".{module}", __package__), cls)()


def detect(messages: Iterable[Message], model: str | None = None) -> Format:
    """The format that ``messages`` are in, judged from the data alone.

    Reads on until a message can be of one format only. Plain text messages are alike in
    all formats; then a system or developer message in front says OpenAI Chat, else
    the model's name decides, else it is OpenAI Chat. Raises `UnknownFormat`.
    O(messages).
    """
    first: Message = None
    for index, message in enumerate(messages):
        if (name := recognise(message, index)) is not None:
            return format_named(name)
        first = message if index == 0 else first
    wanted = model.lower() if isinstance(model, str) else ""
    if first is not None and getter(first)("role") in ("system", "developer"):
        return format_named(_PLAIN)
    for part, name in _BY_MODEL.items():
        if part in wanted:
            return format_named(name)
    return format_named(_PLAIN)


def check_shape(message: Message, index: int) -> None:
    """Raise `InvalidOptions` for what is neither a mapping nor an object like a message."""
    known = isinstance(message, Mapping) or any(hasattr(message, name) for name in _LIKE_A_MESSAGE)
    if not known:
        kind = type(message).__name__
        raise InvalidOptions(
            f"message {index} is of type {kind}; a message is a mapping or an object with a role"
        )


def recognise(message: Message, index: int) -> str | None:
    """The only format that a message can be of, or None where several read it alike.

    ``index`` is for error texts. Raises `UnknownFormat` where formats claim the message
    for different reasons.
    """
    if type(message) is dict and len(message) == 2:
        role = message.get("role")
        if (role == "user" or role == "assistant") and type(message.get("content")) is str:  # noqa: PLR1714
            return None
    if (name := _framework(type(message))) is not None:
        return name
    reasons = {name: why for name in FORMATS if (why := format_named(name).recognises(message))}
    if len(reasons) > 1:
        tried = "; ".join(f"{name}: {why}" for name, why in reasons.items())
        raise UnknownFormat(f"message {index} could be of several formats ({tried})")
    return next(iter(reasons), None)


@lru_cache(maxsize=1 << 10)
def _framework(cls: type) -> str | None:
    """The format of a framework's own objects."""
    packages = (base.__module__.partition(".")[0] for base in cls.__mro__)
    names = (name for package in packages if (name := _BY_PACKAGE.get(package)) in FORMATS)
    return next(names, None)
