"""Fitting a whole request body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import InvalidOptions
from .fitted import Fitted
from .fitting import fit
from .formats.base import Format, shallow
from .formats.registry import detect, format_named
from .policy import Policy
from .setup import Pin, as_list

_LONGEST_RUN = Policy()


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
) -> Fitted:
    """Fit the messages of a request body; ``.request`` is the new body.

    The body is that of OpenAI Chat Completions or Anthropic Messages. Its model, system
    text, tools and messages are read where they stand; the new body is a shallow copy
    in which only the messages differ, and the given one is not changed.

    ``budget=None`` means the model's input window less the body's own output limit.
    With a budget the output limit is not taken off; ``reserve`` says otherwise in both
    cases. `per_message` cannot count a system text or tools, so with it they must stand as
    numbers of tokens in the body. Raises what `fit` raises, and `InvalidOptions` for a body
    without messages.
    """
    if not isinstance(request, Mapping) or "messages" not in request:
        raise InvalidOptions("a request body is a mapping with the key 'messages'")
    name = model if model is not None else request.get("model")
    messages = as_list(request["messages"])
    shape = format_named(format) if format is not None else format_of(request, messages, name)
    body = shape.body(request)
    output = body.output if budget is None and body.output is not None else 0
    fitted = fit(
        messages,
        budget,
        model=name,
        format=shape.name,
        system=body.system,
        tools=body.tools,
        response_format=body.response_format,
        reserve=output if reserve is None else reserve,
        counter=counter,
        policy=policy,
        pin=pin,
        on_invalid=on_invalid,
    )
    fitted.request = shallow(request, messages=fitted.messages)
    return fitted


def format_of(request: Mapping[str, Any], messages: list[Any], model: Any) -> Format:
    """The format of a body: a system text beside the messages is Anthropic's alone."""
    if request.get("system") is not None:
        return format_named("anthropic")
    return detect(messages, model if isinstance(model, str) else None)
