"""langmem and LangChain's middleware as ways through the session of ``summaries.py``."""

from __future__ import annotations

import json
from typing import Any

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langmem.short_term import RunningSummary, summarize_messages
from summarised import BUDGET, FRAME, LARGEST, Listener, cost


class Model(BaseChatModel):
    """The listener as a chat model."""

    listener: Any

    @property
    def _llm_type(self) -> str:
        return "listener"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        answer = AIMessage(self.listener.answer([_said(message) for message in messages]))
        return ChatResult(generations=[ChatGeneration(message=answer)])


def _said(message: BaseMessage) -> str:
    calls = getattr(message, "tool_calls", None)
    return str(message.content) + (json.dumps(calls) if calls else "")


class LangChain:
    """An agent's middleware; the system text stands beside the messages and is paid for first.

    ``shown``: the most that the summariser is shown of what goes, 4,000 tokens by default.
    """

    name = "LangChain, defaults, keep half"
    shown: int | None = 4_000

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._system: list[BaseMessage] = []
        self._state: list[BaseMessage] = []
        self._middleware: SummarizationMiddleware | None = None

    def request(self, new: list[BaseMessage]) -> list[BaseMessage]:
        if self._middleware is None:
            self._system = [message for message in new if message.type == "system"]
            self._middleware = self._made(BUDGET - FRAME - cost(self._system))
        self._state += [message for message in new if message.type != "system"]
        changed = self._middleware.before_model({"messages": self._state}, None)  # type: ignore[arg-type]
        if changed:
            self._state = changed["messages"][1:]  # behind the one that removes all
        return [*self._system, *self._state]

    def _made(self, room: int) -> SummarizationMiddleware:
        return SummarizationMiddleware(
            Model(listener=self._listener),
            trigger=("tokens", room),
            keep=("tokens", room // 2),
            token_counter=cost,
            trim_tokens_to_summarize=self.shown,
        )


class LangChainAll(LangChain):
    """The same, with nothing hidden from the summariser."""

    name = "LangChain, all shown, keep half"
    shown = None


class LangMem:
    """langmem's function, with the running summary carried from turn to turn.

    ``before``: how many tokens come before they are summarised, the budget by default.
    """

    name = "langmem, defaults"
    before: int | None = None

    def __init__(self, listener: Listener) -> None:
        self._model = Model(listener=listener)
        self._messages: list[BaseMessage] = []
        self._running: RunningSummary | None = None

    def request(self, new: list[BaseMessage]) -> list[BaseMessage]:
        self._messages += new
        made = summarize_messages(
            self._messages,
            running_summary=self._running,
            model=self._model,
            max_tokens=BUDGET - FRAME,
            max_tokens_before_summary=self.before,
            max_summary_tokens=LARGEST,
            token_counter=cost,
        )
        self._running = made.running_summary
        return made.messages


class LangMemHalf(LangMem):
    """The same, summarised at half the budget."""

    name = "langmem, at half the budget"
    before = BUDGET // 2


PEERS = (LangChainAll, LangChain, LangMemHalf, LangMem)
