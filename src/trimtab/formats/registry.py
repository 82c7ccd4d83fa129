"""Formats by name, and which one some messages are in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final, NamedTuple, cast

from ..errors import InvalidOptions, UnknownFormat
from .base import Format, Message
from .objects import getter

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
# And so is what they write as plain data, where a type stands for the role.
_BY_TYPE: Final = {"human": "langchain", "ai": "langchain"}
# A format among whose messages those of another may stand as they are.
_WIDER: Final = {"anthropic": "mcp", "openai-responses": "openai-agents"}
_PLAIN: Final = "openai-chat"
_SAID: Final = frozenset({"role", "content", "name"})
_TEXT: Final = frozenset({"type", "text"})
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


class Detected(NamedTuple):
    """A format, why it is the one, and whether that is what the messages tell."""

    format: Format
    why: str
    told: bool


def detect(messages: Iterable[Message], model: str | None = None) -> Format:
    """The format that ``messages`` are in; see `detected`."""
    return detected(messages, model).format


def detected(messages: Iterable[Message], model: str | None = None) -> Detected:
    """The format that ``messages`` are in and why, judged from the data alone.

    Each message that tells leaves the formats that it can be of, in whatever order they
    stand (see `Told`). Plain text messages are alike in all formats; then a system or
    developer message in front says OpenAI Chat, else the model's name decides, else it is
    OpenAI Chat. Raises `UnknownFormat`. O(messages).
    """
    told, first = Told(), None
    for index, message in enumerate(messages):
        told = told.after(message, index)
        first = message if index == 0 else first
    if told.left:
        name, why = told.settled()
        return Detected(format_named(name), why, told=True)
    if first is not None and getter(first)("role") in ("system", "developer"):
        return Detected(format_named(_PLAIN), "a system message in front", told=False)
    wanted = model.lower() if isinstance(model, str) else ""
    for part, name in _BY_MODEL.items():
        if part in wanted:
            return Detected(format_named(name), "plain messages for such a model", told=False)
    return Detected(format_named(_PLAIN), "plain messages, alike in all formats", told=False)


@dataclass(frozen=True, slots=True)
class Told:
    """What messages tell about their format: the formats ``left``, each with a reason.

    ``heard`` are the reasons for all formats that any of them was taken for.
    """

    left: Mapping[str, str] = field(default_factory=dict[str, str])
    heard: Mapping[str, str] = field(default_factory=dict[str, str])

    def after(self, message: Message, index: int) -> Told:
        """What is told with one message more; raises `UnknownFormat` where none is left."""
        if _is_plain(message) or self._expects(message):
            return self
        found = {name: f"{why} (message {index})" for name, why in _reasons(message).items()}
        if not found:
            return self
        heard = {**found, **self.heard}
        left = {name: found[name] for name in found if name in self.left}
        if self.left and not left:
            raise _ambiguous("messages are of several formats", heard)
        if len(left) == len(self.left) > 0:
            return Told(self.left, heard)
        return Told(left or found, heard)

    def _expects(self, message: Message) -> bool:
        """Whether the message is surely of the formats that are left, and tells no more."""
        name = next(iter(self.left), None)
        if name is None or len(self.left) > 1 + (name in _WIDER) or _outright(message):
            return False
        return bool(_claims()[name](message))

    def settled(self) -> tuple[str, str]:
        """The one format that is left, or the narrowest; raises `UnknownFormat` for several."""
        left = _narrow(self.left)
        if len(left) > 1:
            raise _ambiguous("messages could be of several formats", left)
        return next(iter(left.items()))


def _narrow(reasons: Mapping[str, str]) -> dict[str, str]:
    """Without the formats that are possible for no reason but a narrower one's."""
    wider = {_WIDER[name]: why for name, why in reasons.items() if name in _WIDER}
    return {name: why for name, why in reasons.items() if wider.get(name) != why}


def _ambiguous(problem: str, reasons: Mapping[str, str]) -> UnknownFormat:
    tried = "; ".join(f"{name}: {why}" for name, why in _narrow(reasons).items())
    return UnknownFormat(f"{problem} ({tried}); say which with format=")


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
    told = Told().after(message, index)
    return told.settled()[0] if told.left else None


def _is_plain(message: Message) -> bool:
    """Whether it is the plain text message of a user or an assistant, alike in all formats."""
    if type(message) is not dict or not message.keys() <= _SAID:
        return False
    role, content = message.get("role"), message.get("content")
    if role != "user" and role != "assistant":  # noqa: PLR1714
        return False
    return type(content) is str or (type(content) is list and all(map(_is_text, content)))


def _is_text(part: Any) -> bool:
    return type(part) is dict and part.keys() == _TEXT and part["type"] == "text"


def _reasons(message: Message) -> dict[str, str]:
    """The formats that a message can be of, each with the reason; none where all read it alike."""
    if told := _outright(message):
        return told
    found = {name: why for name, claims in _claims().items() if (why := claims(message))}
    for name in [name for name in found if name in _WIDER]:
        found.setdefault(_WIDER[name], found[name])
    return found


def _outright(message: Message) -> dict[str, str]:
    """The format of a framework's own object or plain data, whatever other formats say."""
    if (name := _framework(type(message))) is not None:
        return {name: f"an object of class {type(message).__name__}"}
    if not isinstance(message, Mapping) or "role" in message or "content" not in message:
        return {}
    kind = cast("Mapping[str, Any]", message).get("type")
    known = _BY_TYPE.get(kind) if isinstance(kind, str) else None
    return {known: f"a message of type {kind}"} if known else {}


@cache
def _claims() -> dict[str, Callable[[Message], str | None]]:
    return {name: format_named(name).recognises for name in FORMATS}


@lru_cache(maxsize=1 << 10)
def _framework(cls: type) -> str | None:
    """The format of a framework's own objects."""
    packages = (base.__module__.partition(".")[0] for base in cls.__mro__)
    names = (name for package in packages if (name := _BY_PACKAGE.get(package)) in FORMATS)
    return next(names, None)
