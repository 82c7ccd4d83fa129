"""Plays a script in a fresh copy of the project."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from recorder.script import Agent, Call, Human, Step
from recorder.tools import Result, use
from recorder.workspace import Workspace, fresh


@dataclass(frozen=True)
class Spoke:
    """A human message. `png` is base64, or empty."""

    text: str
    png: str


@dataclass(frozen=True)
class Acted:
    """An assistant message with its calls and what came of them."""

    text: str
    calls: tuple[tuple[str, Call, Result], ...]


Event = Spoke | Acted


def play(script: Sequence[Step], prefix: str) -> list[Event]:
    """The events in order. Call ids are `prefix` and 22 letters, the same in every recording."""
    events: list[Event] = []
    with fresh() as workspace:
        for number, step in enumerate(script):
            if isinstance(step, Human):
                events.append(Spoke(step.text, picture(step, workspace)))
            else:
                events.append(Acted(step.text, act(step, workspace, f"{prefix} {number}")))
    return events


def act(step: Agent, workspace: Workspace, seed: str) -> tuple[tuple[str, Call, Result], ...]:
    return tuple(
        (identifier(f"{seed} {place}"), call, use(workspace, call))
        for place, call in enumerate(step.calls)
    )


def identifier(seed: str) -> str:
    """The first word of the seed and 22 hexadecimal digits that depend on the whole seed."""
    return seed.split(maxsplit=1)[0] + hashlib.sha256(seed.encode()).hexdigest()[:22]


def picture(step: Human, workspace: Workspace) -> str:
    if step.picture is None:
        return ""
    return base64.b64encode(step.picture(lambda c: workspace.run(c, 30).output)).decode()
