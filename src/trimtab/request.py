"""Fitting a whole request body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from .breakpoints import marked
from .breakpoints.services import HOUR
from .errors import InvalidOptions
from .fitted import Fitted
from .fitting import afit, fit
from .formats.base import Body, Format
from .formats.objects import shallow
from .formats.registry import detected, format_named
from .policy import Policy
from .setup import Pin, as_list
from .timing import Time

_LONGEST_RUN = Policy()
_MESSAGES: Final = "messages"
# The formats whose messages have a name of their own in a body; others call them "messages".
_BY_KEY: Final = {
    "input": "openai-responses",
    "contents": "gemini",
    "conversations": "sharegpt",
}
KEYS: Final = (_MESSAGES, *_BY_KEY)
"""The names under which the messages stand in a body."""
_ANYBODYS: Final = (_MESSAGES, "conversations")
_CONVERSE: Final = ("modelId", "toolConfig", "inferenceConfig")


class Request(NamedTuple):
    """What is read from a request body: its format, its model and where its parts stand."""

    shape: Format
    model: Any
    body: Body

    @property
    def format(self) -> Any:
        """The format by which its messages are read, by name unless the body changes it."""
        return self.body.format or self.shape


def fit_request(
    request: Mapping[str, Any],
    budget: int | None = None,
    *,
    model: str | None = None,
    format: str | Format | None = None,
    reserve: int | None = None,
    counter: Any = None,
    policy: Policy = _LONGEST_RUN,
    pin: Pin = (),
    on_invalid: str = "raise",
    usage: Any = None,
    times: Sequence[Time] | None = None,
    breakpoints: bool | str = False,
) -> Fitted:
    """Fit the messages of a request body; ``.request`` is the new body.

    The body is that of any API whose format is known; where the messages stand tells
    which it is. Its model, system text, tools and messages are read where they stand; the
    new body is a shallow copy in which only the messages differ, and the given one is not
    changed.

    ``budget=None`` means the model's input window less the body's own output limit.
    With a budget the output limit is not taken off; ``reserve`` says otherwise in both
    cases. `per_message` cannot count a system text or tools, so with it they must stand as
    numbers of tokens in the body. ``breakpoints`` marks the cache of a provider that matches only
    where it was marked (Anthropic, Bedrock): True for its five minutes, "1h" for an hour; your own
    marks stay and count. `Fitted.messages` are without them. Raises what `fit` raises, and
    `InvalidOptions` for a body without messages.
    """
    arguments = dict(locals())
    lasting = _lasting(arguments.pop("breakpoints"))
    read, asked = _asked(**arguments)
    fitted = fit(**asked)
    fitted.request = _body(request, read, fitted, lasting)
    return fitted


async def afit_request(
    request: Mapping[str, Any],
    budget: int | None = None,
    *,
    model: str | None = None,
    format: str | Format | None = None,
    reserve: int | None = None,
    counter: Any = None,
    policy: Policy = _LONGEST_RUN,
    pin: Pin = (),
    on_invalid: str = "raise",
    usage: Any = None,
    times: Sequence[Time] | None = None,
    breakpoints: bool | str = False,
) -> Fitted:
    """`fit_request`, awaiting the summariser and the store of its summaries; see `afit`."""
    arguments = dict(locals())
    lasting = _lasting(arguments.pop("breakpoints"))
    read, asked = _asked(**arguments)
    fitted = await afit(**asked)
    fitted.request = _body(request, read, fitted, lasting)
    return fitted


def _asked(
    request: Any, budget: Any, *, model: Any, format: Any, reserve: Any, **options: Any
) -> tuple[Request, dict[str, Any]]:
    """What is read from a body, and the arguments of `fit`."""
    read = read_request(request, model=model, format=format)
    body = read.body
    output = body.output if budget is None and body.output is not None else 0
    return read, {
        "messages": as_list(body.messages),
        "budget": budget,
        "model": read.model,
        "format": read.format,
        **body.beside(),
        "reserve": output if reserve is None else reserve,
        **options,
    }


def read_request(request: Any, *, model: str | None = None, format: Any = None) -> Request:
    """The parts of a request body, found where its API has them.

    Raises `InvalidOptions` for what is none or holds no messages, and `UnknownFormat`.
    """
    if not isinstance(request, Mapping):
        raise InvalidOptions("a request body is a mapping")
    name = model if model is not None else request.get("model", request.get("modelId"))
    # What can be read but once is read here.
    once = {key: list(request[key]) for key in KEYS if isinstance(request.get(key), Iterator)}
    request = {**request, **once} if once else request
    shape = _found(request, name) if format is None else format_named(format)
    try:
        body = shape.body(request)
    except KeyError as error:
        body = _elsewhere(shape, request, error.args[0])
    if isinstance(body.messages, str):
        body = body._replace(messages=[shape.human(body.messages)])
    return Request(shape, name, body)


def _lasting(breakpoints: bool | str) -> str | None:
    """What `marked` is told of the marks that are asked for; empty where none are."""
    if breakpoints not in (True, False, "5m", HOUR):
        raise InvalidOptions(f"breakpoints must be True, False, '5m' or '1h', not {breakpoints!r}")
    if not breakpoints:
        return ""
    return HOUR if breakpoints == HOUR else None


def _body(request: Mapping[str, Any], read: Request, fitted: Fitted, lasting: str | None) -> Any:
    """The new body, with its cache marked if that is asked for."""
    made = with_messages(request, read, fitted.messages)
    if lasting == "" or isinstance(request[read.body.key], str):
        return made
    return marked(made, fitted, read.body.key, lasting)


def with_messages(request: Mapping[str, Any], read: Request, messages: list[Any]) -> Any:
    """A shallow copy of a body with other messages."""
    key = read.body.key
    as_it_was = isinstance(request[key], str)  # one message, which nothing can drop
    return shallow(request, **{key: request[key] if as_it_was else messages})


def _elsewhere(shape: Format, request: Mapping[str, Any], key: str) -> Body:
    """The parts of a body in which the messages stand under a name that is not the format's.

    Rows of data sets call them messages or conversations, whatever they are.
    """
    found = next((name for name in _ANYBODYS if name in request), None)
    if found is None:
        raise InvalidOptions(f"a request body of {shape.name} has the key '{key}'")
    return shape.body({**request, key: request[found]})._replace(key=found)


def _found(request: Mapping[str, Any], model: Any) -> Format:
    """The format of a body: by the name of its messages, else by the messages themselves."""
    key = next((key for key in KEYS if key in request), None)
    if key is None:
        keys = "', '".join(KEYS)
        raise InvalidOptions(f"a request body is a mapping with one of the keys '{keys}'")
    if key in ("input", "contents"):
        return format_named(_BY_KEY[key])
    messages = as_list(request[key])
    shape, _, told = detected(messages, model if isinstance(model, str) else None)
    if key == "conversations":
        return shape if messages else format_named(_BY_KEY[key])
    beside = _by_what_is_beside(request)
    if beside is None or (told and not _contradicts(shape, beside, request)):
        return shape
    return format_named(beside)


def _by_what_is_beside(request: Mapping[str, Any]) -> str | None:
    """What the names beside ``messages`` tell.

    Bedrock Converse has names of its own; else a system text there is Anthropic's, and so
    is its version, which stands there where another provider serves its models.
    """
    system = request.get("system")
    blocks = isinstance(system, list) and any(
        isinstance(block, dict) and "type" not in block for block in system
    )
    if blocks or any(request.get(key) is not None for key in _CONVERSE):
        return "bedrock-converse"
    own = system is not None or request.get("anthropic_version") is not None
    return "anthropic" if own else None


def _contradicts(shape: Format, beside: str, request: Mapping[str, Any]) -> bool:
    """Whether a body of the format that the messages tell would not read what is beside."""
    if beside != "anthropic":
        return True
    return request.get("system") is None or shape.body(request).system is None
