"""Fitting a whole request body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .errors import InvalidOptions
from .fitted import Fitted
from .fitting import fit
from .formats.base import Body, Format, shallow
from .formats.registry import FORMATS, detect, format_named
from .policy import Policy
from .setup import Pin, as_list

_LONGEST_RUN = Policy()
# The formats whose messages have a name of their own in a body; others call them "messages".
_BY_KEY: Final = {
    "input": "openai-responses",
    "contents": "gemini",
    "conversations": "sharegpt",
}
_CONVERSE: Final = ("modelId", "toolConfig", "inferenceConfig")


def fit_request(
    request: Mapping[str, Any],
    budget: int | None = None,
    *,
    model: str | None = None,
    format: str | None = None,
    reserve: int | None = None,
    counter: Any = None,
    policy: Policy = _LONGEST_RUN,
    pin: Pin = (),
    on_invalid: str = "raise",
    usage: Any = None,
) -> Fitted:
    """Fit the messages of a request body; ``.request`` is the new body.

    The body is that of any API whose format is known; where the messages stand tells
    which it is. Its model, system text, tools and messages are read where they stand; the
    new body is a shallow copy in which only the messages differ, and the given one is not
    changed.

    ``budget=None`` means the model's input window less the body's own output limit.
    With a budget the output limit is not taken off; ``reserve`` says otherwise in both
    cases. `per_message` cannot count a system text or tools, so with it they must stand as
    numbers of tokens in the body. Raises what `fit` raises, and `InvalidOptions` for a body
    without messages.
    """
    if not isinstance(request, Mapping):
        raise InvalidOptions("a request body is a mapping")
    name = model if model is not None else request.get("model", request.get("modelId"))
    shape = _found(request, name) if format is None else format_named(format)
    body = _body(shape, request)
    output = body.output if budget is None and body.output is not None else 0
    fitted = fit(
        as_list(body.messages),
        budget,
        model=name,
        format=body.format or shape.name,
        **body.beside(),
        reserve=output if reserve is None else reserve,
        counter=counter,
        policy=policy,
        pin=pin,
        on_invalid=on_invalid,
        usage=usage,
    )
    as_it_was = isinstance(request[body.key], str)  # one message, which nothing can drop
    messages = request[body.key] if as_it_was else fitted.messages
    fitted.request = shallow(request, **{body.key: messages})
    return fitted


def format_of(request: Mapping[str, Any], messages: list[Any], model: Any) -> Format:
    """The format of a body: by the name of its messages, else by the messages themselves.

    Bedrock Converse has names of its own for what stands beside ``messages``; else a
    system text there is Anthropic's alone.
    """
    name = _format_by_key(request)
    if name is not None:
        return format_named(name)
    system = request.get("system")
    blocks = isinstance(system, list) and any(
        isinstance(b, dict) and "type" not in b for b in system
    )
    if blocks or any(request.get(key) is not None for key in _CONVERSE):
        return format_named("bedrock-converse")
    if system is not None:
        return format_named("anthropic")
    return detect(messages, model if isinstance(model, str) else None)


def _format_by_key(request: Mapping[str, Any]) -> str | None:
    if "messages" in request:
        return None
    found = (name for key, name in _BY_KEY.items() if key in request and name in FORMATS)
    return next(found, None)


def _found(request: Mapping[str, Any], model: Any) -> Format:
    """The format of a body; raises `InvalidOptions` for one without messages."""
    if "messages" not in request and _format_by_key(request) is None:
        keys = "', '".join(("messages", *_BY_KEY))
        raise InvalidOptions(f"a request body is a mapping with one of the keys '{keys}'")
    messages = as_list(request["messages"]) if "messages" in request else []
    return format_of(request, messages, model)


def _body(shape: Format, request: Mapping[str, Any]) -> Body:
    try:
        return shape.body(request)
    except KeyError as error:
        raise InvalidOptions(f"a request body of {shape.name} has the key {error}") from None
