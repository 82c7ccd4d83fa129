"""What a weight holds, flattened for comparison."""

from __future__ import annotations

from trimtab.formats.weight import Weight


def texts_of(weight: Weight) -> list[str]:
    """Every text that is tokenised as it is, results and calls included."""
    found = [*weight.texts, *weight.reasoning]
    if weight.name:
        found.append(weight.name)
    for call in weight.calls:
        found += [call.name, call.arguments] if isinstance(call.arguments, str) else [call.name]
    for result in weight.results:
        found += texts_of(result)
    return found


def values_of(weight: Weight) -> list[object]:
    """Every value that is judged by its JSON."""
    found = [call.arguments for call in weight.calls if not isinstance(call.arguments, str)]
    return [*found, *weight.values, *(v for result in weight.results for v in values_of(result))]
