"""What every format tells the rest of the library about its messages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from .weight import Media, Weight

Message = Any
"""The caller's own object: a mapping or an SDK object."""


class Input(NamedTuple):
    """A call: its id, the name of its tool and its arguments."""

    id: str
    name: str
    arguments: Any


SYSTEM = "system"
HUMAN = "human"
MODEL = "assistant"
RESULT = "result"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a format reads from one message; immutable, so that equal facts may be shared.

    ``calls`` and ``answers`` are call ids in the order in which they stand; ``human``
    says that it holds human text; ``leads_human`` that it begins with it;
    ``reasons`` that it begins with reasoning, ``thought`` that it holds some anywhere.
    ``server`` calls and answers are run by the provider and are paired inside one
    assistant turn. ``faults`` are rules that the message breaks by itself: (code, id, text).

    ``item``: it is no turn but one of the items that make up a turn, so that neighbours of
    the assistant belong together and a result may stand at any later place. Of such items,
    ``bound`` needs the next one of its turn; ``held`` stands for something that only the
    provider can read, so it is always kept and later results may answer calls in it; and a
    call ``within`` another goes on with that other's turn.

    ``steers``: beside all else it holds what steers all that follows, so it is always kept.
    ``stands`` (and is always kept): it stands for all before it, which the provider leaves out.
    ``closes``: its answers are all that may come for the calls before it.
    ``recaps`` (no format says so): it is a summary that stands for messages that are gone, so
    nobody said it.
    """

    role: str
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    human: bool = False
    leads_human: bool = False
    reasons: bool = False
    thought: bool = False
    server_calls: tuple[str, ...] = ()
    server_answers: tuple[str, ...] = ()
    faults: tuple[tuple[str, str | None, str], ...] = ()
    item: bool = False
    bound: bool = False
    held: bool = False
    within: str | None = None
    steers: bool = False
    stands: bool = False
    closes: bool = False
    recaps: bool = False


def malformed(text: str) -> Facts:
    """The facts of a message that is not shaped as the format wants."""
    return Facts(HUMAN, faults=(("malformed", None, text),))


def unknown_role(role: object) -> Facts:
    """The facts of a message whose role the format does not have."""
    known = isinstance(role, str)
    text = f"the role {role[:40]!r} is none of this format's" if known else "the role is no text"
    return Facts(HUMAN, faults=(("unknown_role", None, text),))


class Body(NamedTuple):
    """Where the parts of a request body stand.

    ``key`` is the name under which the messages stand. ``format`` reads them where the
    body changes the rules for them, else it is None.
    """

    messages: Sequence[Message]
    system: Any
    tools: Any
    output: int | None
    response_format: Any = None
    tool_choice: Any = None
    thinking: bool = False
    key: str = "messages"
    format: Any = None

    def beside(self) -> dict[str, Any]:
        """What goes beside the messages, as the arguments of `fit`, `count` and `Conversation`."""
        names = ("system", "tools", "response_format", "tool_choice", "thinking")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Alternation:
    """How strictly user and assistant must take turns.

    Always: no two user messages, no two assistant messages in a row, and a reply between
    tool results and what the user says next. ``together``: results are a user's message, so
    all results of a turn, and what the user says with them, stand in one. ``system_first``:
    a system message may only be the very first. ``closed``: the last message must be the
    assistant's.
    """

    together: bool = False
    system_first: bool = False
    closed: bool = False


Drop = Mapping[str, Collection[int]]
"""Parts to remove from a message: positions by kind, which is ``call``, ``answer``,
``server_call`` or ``server_answer``; the kind ``blank`` means all text without text."""


class Turn(Protocol):
    """The calls of one assistant turn, and which of them answers are for, where ids may be missing.

    Takes message after message, each once; all its calls come before their answers.
    """

    def called(self, calls: Sequence[str]) -> Sequence[str]:
        """The ids of the calls of a message, told apart from those before. O(calls)."""
        ...

    def answered(self, answers: Sequence[str]) -> Sequence[str]:
        """The ids of the calls that the answers of a message are for, which wait no longer.

        Its own for an answer that is for none of them. O(answers).
        """
        ...


class Pairing(Protocol):
    """How calls and results pair.

    ``merges``: neighbouring messages of one role are one turn to the API.
    ``unique_ids``: a call id may be used once in a conversation. ``held``: the provider
    holds what stands before the messages, so answers may be for calls that are not seen.
    ``alternation``: the rules by which user and assistant must take turns, or None; a format
    that has some is an `Alternating` one (``formats.alternation``).
    """

    merges: bool
    unique_ids: bool
    held: bool
    alternation: Alternation | None

    def turn(self) -> Turn | None:
        """A new turn where ids may be missing; None where an answer has the id of its call."""
        ...


class Format(Pairing, Protocol):
    """One provider's shape and rules. A format reads; it never changes a message in place.

    ``human_head``: a cut must leave a human message in front. ``reasoning_head``: a cut
    inside a tool loop must leave reasoning in front where the loop has it. ``maker``:
    whose models take it, as their provider is called in the table of models; ``framing``:
    the framing that stands for the format where the model's name tells none; ``dialect``:
    the name of its API where a model adds other tokens there, else empty. ``binding``: what
    becomes of reasoning behind a change, by the provider's rules, else empty.
    """

    name: str
    human_head: bool
    reasoning_head: bool
    maker: str
    framing: str
    dialect: str
    binding: str

    def recognises(self, message: Message) -> str | None:
        """Why this message can only be of this format, or None."""
        ...

    def read(self, message: Message) -> Facts:
        """The facts of one message."""
        ...

    def weigh(self, message: Message) -> Weight:
        """What of the message costs tokens."""
        ...

    def weigh_system(self, system: Any) -> Weight:
        """What of the system text costs tokens that is given beside the messages."""
        ...

    def unbilled(self, messages: Sequence[Message]) -> int:
        """How many messages at the front cost nothing, since the provider leaves them out."""
        ...

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        """The tool results in a message: position of the answer and its texts, data as JSON."""
        ...

    def parts(self, message: Message, answer: int) -> Sequence[Any]:
        """What of one answer may be made shorter: texts, and data that are sent as such."""
        ...

    def with_result(self, message: Message, answer: int, parts: Sequence[Any]) -> Message:
        """A shallow copy in which the `parts` of one answer are replaced."""
        ...

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        """A message that holds nothing but some answers of this one."""
        ...

    def only_text(self, message: Message, answer: int, part: int, text: Any) -> Message:
        """A message that holds nothing but ``text`` in the place of one of `parts`, or data."""
        ...

    def without(self, message: Message, drop: Drop) -> Message | None:
        """A shallow copy without some parts, or None if nothing is left to say."""
        ...

    def answers_first(self, message: Message) -> Message:
        """A shallow copy in which the tool results stand before everything else."""
        ...

    def parted(self, message: Message) -> Sequence[Message]:
        """The message itself, or what it holds under the right roles where one of them is wrong."""
        ...

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        """New messages that answer calls of this message (by position) with ``text``, as errors."""
        ...

    def call_names(self, message: Message) -> Sequence[str]:
        """Names of the tools that a message calls, as `Facts.calls` has their ids."""
        ...

    def failed(self, message: Message, answer: int) -> bool:
        """Whether an answer of a message says that it is an error."""
        ...

    def cleared(self, message: Message, answer: int, text: str) -> Message:
        """A shallow copy in which all content of one answer is a text; ids and flags stay."""
        ...

    def answered(self, message: Message) -> Sequence[tuple[str, str]]:
        """Of each answer in a message the id of its call, and its tool where the answer says it."""
        ...

    def inputs(self, message: Message) -> Sequence[Input]:
        """The calls of a message whose answers are known or to come, with their arguments."""
        ...

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        """A shallow copy in which ``said`` stands for the arguments of one of the `inputs`.

        They stay what they were, an object or a text of JSON. The message itself where they
        must stay, as where a signature covers them.
        """
        ...

    def without_media(self, message: Message, say: Callable[[Media, str], str]) -> Message:
        """A shallow copy in which a text stands for each picture, sound, film or file.

        ``say`` makes it of the media and of their type, which may be any text. Those in tool
        results go too; those that a signature covers, that answers may cite by number or that
        the provider made itself stay. The message itself where none goes.
        """
        ...

    def without_old_reasoning(self, message: Message) -> Message:
        """A shallow copy without the reasoning that may go once its turn is over.

        The message itself where its provider wants some of it back: all of it goes, or none.
        A message that held nothing else says so in a text.
        """
        ...

    def without_reasoning(self, message: Message) -> Message:
        """A shallow copy without reasoning that is bound to what stands before it.

        The message itself where there is none, or where the provider leaves it out by
        itself. A message that held nothing else says so in a text.
        """
        ...

    def closed(self, message: Message, calls: Sequence[int], text: str) -> Message | None:
        """A shallow copy in which calls (by position) are answered with ``text``, as errors.

        None where answers are messages of their own (see ``interrupted``).
        """
        ...

    def settled(
        self, places: Sequence[tuple[Message, int]], note: Callable[..., None]
    ) -> Sequence[tuple[Message, int]]:
        """What a repair is left to do when calls and results are paired.

        Takes the mended messages, each with the index that it comes from or -1, and gives
        them back, joined or parted as the format wants it; ``note`` takes a repair: its
        code, index, id, action and words.
        """
        ...

    def human(self, text: str) -> Message:
        """A new human message."""
        ...

    def body(self, request: Mapping[str, Any]) -> Body:
        """The parts of a request body."""
        ...
