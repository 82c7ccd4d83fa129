"""A conversation under one policy: what each of its requests would have sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..billing import Sent
from ..core.note import Note
from ..explaining import unchanged
from ..formats.base import MODEL
from ..setup import Setup
from ..transcript import Transcript
from .story import Story


class Step(NamedTuple):
    """One request: what is sent, and what of the conversation it holds.

    ``kept`` are the tokens of its messages, ``mark`` the unit that its run starts at, ``fits``
    whether it is within the budget, and ``cuts`` the numbers of the cuts since the request before.
    """

    sent: Sent
    kept: int
    mark: int
    fits: bool
    cuts: range


class Walk(NamedTuple):
    """All requests of a conversation under one policy, and its cuts."""

    steps: list[Step]
    notes: list[tuple[int, Note]]
    transcript: Transcript


def walk(story: Story, setup: Setup, counted: Transcript | None, asks: Sequence[int]) -> Walk:
    """Fold a conversation and note every request; ``asks`` are the messages that each comes before.

    ``counted`` has the tokens of the messages. Each request costs only what is new since the one
    before, and at a cut its anchors. Raises what `fit` raises for messages that break the format's
    rules.
    """
    transcript = Transcript(setup, incremental=True) if counted is None else counted.under(setup)
    fixed = setup.fixed.total - setup.fixed.reserve
    steps: list[Step] = []
    done = cuts = before = 0
    times = story.times or [None] * len(story.messages)
    for at in asks:
        pins = [index in story.pins for index in range(done, at)]
        transcript.extend(story.messages[done:at], pins, times[done:at])
        done = at
        fold = transcript.fold
        assert fold is not None, "an incremental transcript has one"
        tokens, made = fixed + fold.total, range(cuts, transcript.cuts)
        same = min([before, *(fixed + unchanged(transcript, number) for number in made)])
        cuts = transcript.cuts
        run = fold.total - fold.anchored
        marks = tuple(sorted({fixed + fold.head, tokens - run, tokens} - {0}))
        sent = Sent(tokens, same if steps else 0, times[at - 1], marks)
        steps.append(Step(sent, fold.total - fold.head, fold.mark, fold.fits, made))
        before = tokens
    return Walk(steps, transcript.notes, transcript)


def requests(transcript: Transcript) -> list[int]:
    """Before which messages a request was sent: every reply, and the end if none follows."""
    read, messages = transcript.setup.format.read, transcript.messages
    roles = [read(message).role for message in messages]
    replies = [
        at for at, role in enumerate(roles) if role == MODEL and at > 0 and roles[at - 1] != MODEL
    ]
    return replies if not roles or roles[-1] == MODEL else [*replies, len(roles)]
