"""What the summarisers by a provider's SDK share: one road for both ways of asking."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from inspect import isawaitable, iscoroutinefunction, unwrap
from math import isfinite
from typing import Any, Final

from ..errors import InvalidOptions, SummaryError, TrimtabError
from .asking import Ask
from .prompt import VERSION, Prompt
from .prompt_limit import render_within

_UNNAMED: Final = ("extra_headers", "extra_query", "timeout")  # no setting of the summary


class Driver(ABC):
    """A summariser by an SDK: asked by a call, or awaited with `acall`.

    Retries are the SDK's own (connection errors, 408, 409, 429, 5xx, with the delays that
    the server asks for): at most ``attempts`` requests, all within ``timeout`` seconds,
    whatever the server does. Errors hold the status and no text of any side.
    """

    sdk = ""

    def __init__(
        self,
        model: str,
        client: Any = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        attempts: int = 3,
        max_input_tokens: int | None = None,
        **options: Any,
    ) -> None:
        if client is None and find_spec(self.sdk) is None:
            raise InvalidOptions(f"pip install trimtab[{self.sdk}] for {type(self).__name__}")
        if client is not None and (base_url is not None or api_key is not None):
            raise InvalidOptions("a client has its own base_url and api_key")
        if not (timeout > 0 and isfinite(timeout)):
            raise InvalidOptions(f"timeout must be a positive number of seconds: {timeout}")
        if attempts < 1:
            raise InvalidOptions(f"attempts must be at least 1: {attempts}")
        if max_input_tokens is not None and max_input_tokens < 1:
            raise InvalidOptions(f"max_input_tokens must be at least 1: {max_input_tokens}")
        self.model, self.timeout, self.attempts = model, timeout, attempts
        self.max_input_tokens = max_input_tokens
        self._client, self._base_url, self._api_key = client, base_url, api_key
        self._options = options
        settings = {k: v for k, v in options.items() if k not in _UNNAMED}
        told = _plain([max_input_tokens, settings])
        digest = hashlib.sha256(told.encode()).hexdigest()[:12]
        self.name = f"{self.sdk}/{model}/prompt-{VERSION}/{digest}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.model}>"

    @property
    def only_async(self) -> bool:
        """Whether it was given an asynchronous client, which can only be awaited."""
        return self._client is not None and iscoroutinefunction(unwrap(self._create(self._client)))

    def __call__(self, ask: Ask, /) -> str:
        """The summary. Runs on an event loop of its own, so it may be called from any thread."""
        if self.only_async:
            raise InvalidOptions(f"{self!r} has an asynchronous client: it can only be awaited")
        from anyio.from_thread import start_blocking_portal

        with start_blocking_portal() as portal:
            return portal.call(self.acall, ask)

    async def acall(self, ask: Ask, /) -> str:
        """The summary, awaited; cancelled at once when the caller is."""
        import anyio

        request = self._request(render_within(ask, self.max_input_tokens), ask)
        try:
            with anyio.fail_after(self.timeout):
                answer = await self._send({**request, **self._options})
            return self._text(answer)
        except TrimtabError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever an SDK raises, its text may quote
            raise self._failure(error) from None

    async def _send(self, request: Mapping[str, Any]) -> Any:
        from anyio import to_thread

        retries = {"max_retries": self.attempts - 1, "timeout": self.timeout}
        if self._client is None:
            async with self._own_client(retries) as own:
                return await self._create(own)(**request)
        client = self._client
        if hasattr(client, "with_options"):
            client = client.with_options(**retries)
        create = self._create(client)
        if self.only_async:
            return await create(**request)
        answer = await to_thread.run_sync(partial(create, **request), abandon_on_cancel=True)
        return await answer if isawaitable(answer) else answer

    def _failure(self, error: Exception) -> SummaryError:
        status = getattr(error, "status_code", None)
        shown = f" (status {status})" if isinstance(status, int) else ""
        kind = "provider"
        if isinstance(error, TimeoutError) or type(error).__name__ == "APITimeoutError":
            kind = "timeout"
        elif getattr(error, "code", None) == "content_filter":
            kind = "refused"
        return SummaryError(f"{self.name}: {type(error).__name__}{shown}", kind=kind)

    def _odd(self) -> SummaryError:
        return SummaryError(f"{self.name} answered with something else than an answer")

    def _refused(self) -> SummaryError:
        return SummaryError(f"{self.name} refused", kind="refused")

    def _cut(self) -> SummaryError:
        return SummaryError(f"the answer of {self.name} is cut", kind="cut")

    @abstractmethod
    def _create(self, client: Any) -> Any:
        """The method of a client that sends a request."""

    @abstractmethod
    def _own_client(self, retries: Mapping[str, Any]) -> Any:
        """A new asynchronous client for one request."""

    @abstractmethod
    def _request(self, prompt: Prompt, ask: Ask) -> Mapping[str, Any]: ...

    @abstractmethod
    def _text(self, answer: Any) -> str:
        """The text of an answer. Raises `SummaryError` where it is refused or cut."""


def _plain(value: Any) -> str:
    """Settings written the same way in every process."""
    if value is None or isinstance(value, str | int | float):
        return repr(value)
    if isinstance(value, Mapping):
        rows = sorted((str(key), _plain(item)) for key, item in value.items())
        return "{" + ",".join(f"{key!r}:{item}" for key, item in rows) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(map(_plain, value)) + "]"
    raise InvalidOptions(f"an option of a summariser must be plain data: {type(value).__name__}")
