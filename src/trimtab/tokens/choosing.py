"""Which counter and which framing count for the arguments of a caller."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidOptions
from ..formats.base import Format
from ..formats.weight import Weight
from .counter import Counter, PerMessage, Scaled, as_counter
from .encodings import encoding
from .estimators import estimator
from .framing.registry import framing_named
from .meter import MessageMeter, Meter, TextMeter
from .models import Model, model_named


def meter_for(counter: Any, format: Format, model: str | None) -> Meter:
    """The meter for a counter as a caller may give it (see `trimtab.fit`) and a model's name.

    A counter that prices whole requests (`trimtab.counters`) brings its own.
    """
    if callable(getattr(type(counter), "meter", None)):
        return counter.meter(format)
    known = model_named(model)
    framing = framing_named(known.framing or format.framing, known.images, format.dialect)
    if counter is None:
        own = known.name is None or known.provider == format.maker
        sure = known.framed and own and framing.is_exact(Weight("user"))
        warnings = _doubts(known, sure)
        return TextMeter(counter_of(known), format, framing, framed=sure, warnings=warnings)
    chosen = as_counter(counter)
    if isinstance(chosen, PerMessage):
        return MessageMeter(chosen)
    return TextMeter(chosen, format, framing)


def _doubts(model: Model, sure: bool) -> tuple[str, ...]:
    if model.name is None and not sure:
        text = (
            f"no model was given: counted with {model.encoding}, which the models of this "
            "format do not use and may need 1.7 times as many tokens as"
        )
        return (text,)
    if model.provider == "other":
        return (f"the model {model.name!r} is not known: counted with a margin",)
    return ()


def text_counter(counter: Any, model: str | None) -> Counter:
    """The counter of bare texts; `InvalidOptions` for one that only counts messages."""
    if counter is None:
        return counter_of(model_named(model))
    chosen = as_counter(counter)
    if isinstance(chosen, PerMessage):
        raise InvalidOptions("a counter of whole messages cannot count a bare text")
    return chosen


def counter_of(model: Model) -> Counter:
    """The counter of a model's texts: its own tokenizer, or the best estimate there is."""
    if model.estimator:
        return estimator(model.estimator)
    base = encoding(model.encoding)
    return base if model.exact else Scaled(base, *model.scale, model.encoding)
