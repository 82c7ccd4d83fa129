"""Setting the marks: shallow copies in which only what is marked differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..formats.base import Message
from ..formats.objects import shallow
from ..outcome import Outcome
from .places import Breakpoint, breakpoints
from .services import SERVICES, Service, content_of


def marked(
    request: Mapping[str, Any], fitted: Outcome, key: str, ttl: str | None = None
) -> dict[str, Any]:
    """A copy of a request body, whose messages stand under ``key``, with its cache marked.

    ``ttl`` is "1h", or None for five minutes. The body itself where its API has no marks; what
    the caller has marked stays as it is. Nothing that is given is changed.
    """
    service = SERVICES.get(fitted.setup.format.name)
    if service is None:
        return dict(request)
    tools, within = _tools(request)
    full = request.get("cache_control") is not None  # the API marks the end by itself
    rows = breakpoints(fitted, tools, ttl, full=full)
    new = [row for row in rows if row.reason != "own"]
    made = dict(request)
    for row in reversed(new):
        if row.where == "tools":
            _mark_tools(made, service, row, within)
        elif row.where == "system":
            made["system"] = service.marked(made["system"], row.block, row.ttl)
    made[key] = with_marks(request[key], new, service)
    return made


def with_marks(
    messages: Sequence[Message], rows: Sequence[Breakpoint], service: Service
) -> list[Message]:
    """The messages with marks set; those without one are the same objects."""
    made = list(messages)
    for row in reversed(rows):
        if row.where == "messages" and row.message is not None:
            message = made[row.message]
            content = service.marked(content_of(message), row.block, row.ttl)
            made[row.message] = shallow(message, content=content)
    return made


def _tools(request: Mapping[str, Any]) -> tuple[Sequence[Any], bool]:
    """The tools of a body, and whether they stand in its tool configuration."""
    config = request.get("toolConfig")
    if isinstance(config, Mapping):
        return config.get("tools") or (), True
    return request.get("tools") or (), False


def _mark_tools(made: dict[str, Any], service: Service, row: Breakpoint, within: bool) -> None:
    if within:
        config = made["toolConfig"]
        made["toolConfig"] = {
            **config,
            "tools": service.marked(config["tools"], row.block, row.ttl),
        }
    else:
        made["tools"] = service.marked(made["tools"], row.block, row.ttl)
