"""A store in Redis or Valkey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ..errors import InvalidOptions, StoreError
from . import redis_scripts as scripts
from .backend import Backend, Clock, Limits, Row
from .extras import driver
from .options import encoded, span

if TYPE_CHECKING:
    from redis import Redis

LAYOUT: Final = 1
"""The version of how records are laid out in keys."""

_PAGE: Final = 1000  # records removed by one script, which holds up all other clients


class RedisStore(Backend):
    """A `Store` in a Redis or Valkey server that any number of machines may share.

    ``url``: ``redis://``, ``rediss://`` (TLS) or ``unix://``; connected to when first
    used. ``namespace``: begins every key, ``{namespace}:``. ``ttl``: seconds that a record
    stays, after which the server itself removes it. ``max_records``, ``max_bytes``: what is
    left after pruning, which happens every 64 puts of a process. ``timeout``: seconds
    after which connecting or an answer fails. ``clock``: seconds since the epoch, for tests;
    otherwise the server's own.

    A record that `put` returned is as safe as the server's persistence makes it, which by
    default is not very.
    """

    def __init__(
        self,
        url: str,
        *,
        namespace: str = "trimtab",
        ttl: float | None = None,
        max_records: int | None = None,
        max_bytes: int | None = None,
        timeout: float = 5.0,
        clock: Clock | None = None,
    ) -> None:
        redis = driver("redis", "redis")
        super().__init__(ttl=ttl, max_records=max_records, max_bytes=max_bytes, clock=clock)
        self.failures = (redis.RedisError, OSError)
        tag = encoded(namespace, "namespace")
        if not tag or b"{" in tag or b"}" in tag:
            raise InvalidOptions("namespace must not be empty or hold a brace")
        self._prefix = b"{" + tag + b"}:"
        self._keys = [self._prefix + name for name in (b"age", b"expiry", b"sizes", b"total")]
        self._client, self.where = _client(url, span(timeout, "timeout"))
        self._scripts: dict[str, Any] = {}
        self._known = False

    def _get(self, key: bytes) -> Row | None:
        found = self._run(scripts.GET, key)
        return None if found is None else _row(key, found)

    def _put(self, key: bytes, value: bytes) -> Row:
        ttl = b"" if self._ttl is None else _number(self._ttl)
        found = self._run(scripts.PUT, key, value, ttl, _number(len(key) + len(value)))
        return _row(key, found, value)

    def _claim(self, key: bytes, holder: bytes, seconds: float) -> bool:
        return self._run(scripts.CLAIM, key, holder, _number(seconds)) == 1

    def _release(self, key: bytes, holder: bytes) -> bool:
        return self._run(scripts.RELEASE, key, holder) == 1

    def _scan(self, older_than: float | None, limit: int) -> Sequence[Row]:
        found = self._run(scripts.SCAN, _number(older_than), _number(limit))
        return [_row(row[3], row) for row in found]

    def _prune(self, limits: Limits) -> int:
        went = _PAGE
        total = 0
        while went >= _PAGE:
            went = self._run(scripts.PRUNE, *map(_number, limits), _number(_PAGE))
            total += went
        return total

    def _close(self) -> None:
        self._client.close()

    def forked(self) -> None:
        """The client's pool sees for itself that it is in another process."""

    def _run(self, script: str, *values: bytes) -> Any:
        if not self._known:
            self._check_layout()
        run = self._scripts.get(script)
        if run is None:
            run = self._scripts[script] = self._client.register_script(script)
        now = b"" if self._clock is None else _number(self._clock())
        prefixes = self._prefix + b"record:", self._prefix + b"claim:"
        return run(keys=self._keys, args=[*prefixes, now, *values])

    def _check_layout(self) -> None:
        name = self._prefix + b"version"
        self._client.set(name, LAYOUT, nx=True)
        found = self._client.get(name)
        if found != str(LAYOUT).encode():
            version = int(found) if isinstance(found, bytes) and found.isdigit() else "unknown"
            raise StoreError(
                f"{self.where} is of version {version}, this Trimtab knows {LAYOUT} at most"
            )
        self._known = True

    def _reason(self, error: Exception) -> str:
        """The server's texts may show values, so of these only their code is told."""
        name, code = type(error).__name__, str(error).split(" ", 1)[0]
        return f"{name} ({code})" if code.isalpha() and code.isupper() else name


def _client(url: str, timeout: float) -> tuple[Redis, str]:
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    try:
        client = Redis.from_url(
            url,
            decode_responses=False,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            health_check_interval=30,
            retry=Retry(NoBackoff(), 0),
        )
    except (ValueError, AttributeError, TypeError):
        client = None
    if client is None:  # whose text may show the whole
        raise StoreError("the URL of the Redis store cannot be read")
    parts = client.connection_pool.connection_kwargs
    named = [f"{name}={parts[name]}" for name in ("host", "port", "path", "db") if name in parts]
    return client, " ".join(["the Redis store", *named])


def _number(value: float | None) -> bytes:
    return b"" if value is None else repr(value).encode()


def _row(key: bytes, found: Sequence[Any], value: bytes = b"") -> Row:
    created, expires, own = found[:3]
    data = value if own is None else own
    return Row(key, data, float(created), float(expires) if expires else None)
