"""OpenAI's and Anthropic's SDKs against a server that answers, delays, fails and lies."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")

from summary.conversation import SECRET, asked
from summary.server import Reply
from trimtab import InvalidOptions, SummaryError
from trimtab.summary import AnthropicSummariser, OpenAISummariser, asummarise, summarise
from trimtab.summary.prompt import render

KEY = "sk-not-a-real-key-0123456789"
CLASSES = {"openai": OpenAISummariser, "anthropic": AnthropicSummariser}
CLIENTS = {
    "openai": (openai.OpenAI, openai.AsyncOpenAI),
    "anthropic": (anthropic.Anthropic, anthropic.AsyncAnthropic),
}


@pytest.fixture(params=["openai", "anthropic"])
def sdk(request):
    return request.param


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Retries without a delay of the server's follow at once."""
    for module in (openai, anthropic):
        monkeypatch.setattr(module._base_client, "INITIAL_RETRY_DELAY", 0.001)


def url(sdk, server):
    return f"{server.url}/v1" if sdk == "openai" else server.url


def made(sdk, server, **more):
    return CLASSES[sdk]("small", base_url=url(sdk, server), api_key=KEY, **{"timeout": 20, **more})


def called(summariser, ask):
    return summarise(summariser, ask)


def awaited(summariser, ask):
    return asyncio.run(asummarise(summariser, ask))


def inside(summariser, ask):
    """Called where an event loop already runs, as in a notebook."""

    async def run():
        return summarise(summariser, ask)

    return asyncio.run(run())


WAYS = pytest.mark.parametrize("way", [called, awaited, inside])


@WAYS
def test_a_summary(sdk, server, way):
    server.replies = [Reply("\n## Goal\nFix the tide table.\n")]
    assert way(made(sdk, server), asked()) == "## Goal\nFix the tide table."
    assert len(server.requests) == 1


def test_the_conversation_is_in_the_users_message_alone(sdk, server):
    ask = asked(previous="Old notes.")
    summarise(made(sdk, server, extra_body={"temperature": 0}), ask)
    (body,) = server.requests
    system = body["system"] if sdk == "anthropic" else body["messages"][0]["content"]
    assert system == render(ask).system
    assert SECRET not in system
    last = body["messages"][-1]
    assert last == {"role": "user", "content": render(ask).user}
    assert len(body["messages"]) == (1 if sdk == "anthropic" else 2)
    assert "tools" not in body
    assert body["temperature"] == 0
    assert (body["model"], body.get("max_tokens")) == ("small", 912 if sdk == "anthropic" else None)


ANY = [  # what the server does, the kind of the failure, the number of requests
    pytest.param(Reply(status=429), "provider", 3, id="429"),
    pytest.param(Reply(status=500), "provider", 3, id="500"),
    pytest.param(Reply(status=503), "provider", 3, id="503"),
    pytest.param(Reply(status=408), "provider", 3, id="408"),
    pytest.param(Reply(status=400), "provider", 1, id="400"),
    pytest.param(Reply(status=401), "provider", 1, id="401"),
    pytest.param(Reply(status=404), "provider", 1, id="404"),
    pytest.param(Reply(drop=True), "provider", 3, id="connection dropped"),
    pytest.param(Reply(raw="<html>sorry</html>", kind="text/html"), "provider", 1, id="a page"),
    pytest.param(Reply(raw="data: {\n\n\x00\x01", kind="text/event-stream"), "provider", 1, id="a stream of garbage"),
    pytest.param(Reply(raw='{"choices": [{"mess'), "provider", 1, id="half of some JSON"),
    pytest.param(Reply(raw="[1, 2]"), "provider", 1, id="a list"),
    pytest.param(Reply(raw="null"), "provider", 1, id="null"),
    pytest.param(Reply(raw='"words"'), "provider", 1, id="a string"),
    pytest.param(Reply(raw=b"\xff\xfe\x00"), "provider", 1, id="bytes"),
    pytest.param(Reply(choices=0), "empty", 1, id="no choices"),
    pytest.param(Reply(""), "empty", 1, id="empty"),
    pytest.param(Reply(" \n\t"), "blank", 1, id="white space"),
    pytest.param(Reply("long " * 5_000), "longer_than_input", 1, id="too much"),
    pytest.param(Reply(echo=True), "longer_than_input", 1, id="its input back"),
]
OWN = {
    "openai": [
        (Reply(refusal="No."), "refused"),
        (Reply(finish="content_filter"), "refused"),
        (Reply(status=400, finish="content_filter"), "refused"),
        (Reply(finish="length"), "cut"),
        (Reply(None), "empty"),
        (Reply(None, finish="tool_calls"), "empty"),
        (Reply(raw='{"error": {"message": "down", "code": 502}}'), "provider"),
        (Reply(raw='{"choices": [{}]}'), "provider"),
        (Reply("<think>hm"), "empty"),
        (Reply("<think>hm</think>\n"), "blank"),
    ],
    "anthropic": [
        (Reply(finish="refusal"), "refused"),
        (Reply(finish="max_tokens"), "cut"),
        (Reply(finish="model_context_window_exceeded"), "cut"),
        (Reply(None), "empty"),
        (Reply(raw='{"type": "error", "error": {"message": "x"}}'), "provider"),
        (Reply(status=529), "provider"),
    ],
}


def failure(way, summariser, ask):
    with pytest.raises(SummaryError) as caught:
        way(summariser, ask)
    return caught.value


@WAYS
@pytest.mark.parametrize(("reply", "kind", "requests"), ANY)
def test_each_fault_has_its_kind_and_its_number_of_requests(
    sdk, server, way, reply, kind, requests, caplog
):
    caplog.set_level(logging.INFO)
    server.replies = [reply]
    error = failure(way, made(sdk, server), asked())
    assert (error.kind, len(server.requests)) == (kind, requests)
    for told in (str(error), repr(error), caplog.text):
        assert SECRET not in told
        assert KEY not in told
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None


OWN_ROWS = [(sdk, *row) for sdk, rows in OWN.items() for row in rows]


@pytest.mark.parametrize(("name", "reply", "kind"), OWN_ROWS)
def test_faults_of_one_api(server, name, reply, kind):
    server.replies = [reply]
    error = failure(called, made(name, server), asked())
    assert error.kind == kind
    assert len(server.requests) == (3 if reply.status == 529 else 1)


@WAYS
def test_it_recovers_within_its_attempts(sdk, server, way):
    server.replies = [Reply(status=503), Reply(drop=True), Reply("Done.")]
    assert way(made(sdk, server), asked()) == "Done."
    assert len(server.requests) == 3


def test_attempts(sdk, server):
    server.replies = [Reply(status=503)]
    failure(called, made(sdk, server, attempts=1), asked())
    assert len(server.requests) == 1


SLOW = [
    pytest.param(Reply(wait=True), id="no answer"),
    pytest.param(Reply(drip=True), id="an answer byte by byte"),
    pytest.param(Reply(status=503, retry_ms=15_000), id="a long delay is asked for"),
]


@WAYS
@pytest.mark.parametrize("reply", SLOW)
def test_all_attempts_together_end_in_time(sdk, server, way, reply):
    server.replies = [reply]
    begun = time.monotonic()
    error = failure(way, made(sdk, server, timeout=0.5), asked())
    assert error.kind == "timeout"
    # the server would have taken 15 seconds or more
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("reply", SLOW)
def test_a_callers_client_is_bounded_too(sdk, server, reply):
    server.replies = [reply]
    given = {"base_url": url(sdk, server), "api_key": KEY, "max_retries": 9}
    begun = time.monotonic()
    with CLIENTS[sdk][0](**given) as client:
        assert failure(called, CLASSES[sdk]("small", client, timeout=0.5), asked()).kind == "timeout"

    async def run():
        async with CLIENTS[sdk][1](**given) as client:
            await asummarise(CLASSES[sdk]("small", client, timeout=0.5), asked())

    with pytest.raises(SummaryError, match="TimeoutError"):
        asyncio.run(run())
    assert time.monotonic() - begun < 10


def test_a_callers_client_retries_as_told(sdk, server):
    server.replies = [Reply(status=500)]
    with CLIENTS[sdk][0](base_url=url(sdk, server), api_key=KEY, max_retries=9) as client:
        assert failure(called, CLASSES[sdk]("small", client, attempts=2), asked()).kind == "provider"
        assert len(server.requests) == 2
        server.replies = [Reply("Fine.")]
        assert awaited(CLASSES[sdk]("small", client), asked()) == "Fine."


def test_an_asynchronous_client_can_only_be_awaited(sdk, server):
    server.replies = [Reply("Fine.")]
    client = CLIENTS[sdk][1](base_url=url(sdk, server), api_key=KEY)
    summariser = CLASSES[sdk]("small", client)
    for call in (lambda: summarise(summariser, asked()), lambda: summariser(asked())):
        with pytest.raises(InvalidOptions, match="awaited"):
            call()

    async def run():
        async with client:
            return await asummarise(summariser, asked())

    assert asyncio.run(run()) == "Fine."


def test_a_cancelled_caller_leaves_at_once(sdk, server):
    server.replies = [Reply(wait=True)]

    async def run():
        task = asyncio.create_task(asummarise(made(sdk, server), asked()))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    begun = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - begun < 10


def test_reasoning_in_front_of_the_answer_is_left_out(server):
    server.replies = [Reply("<think>\nsecret plans</think>\n## Goal\nFix it.")]
    assert summarise(made("openai", server), asked()) == "## Goal\nFix it."


def test_a_local_server_needs_no_key(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    summariser = OpenAISummariser("small", base_url=f"{server.url}/v1")
    assert summarise(summariser, asked()) == "Brief."
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    summarise(summariser, asked())
    assert [h["authorization"] for h in server.headers] == ["Bearer none", f"Bearer {KEY}"]


def test_no_key_and_no_server_is_a_failure_like_others(sdk, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert failure(called, CLASSES[sdk]("small", timeout=5), asked()).kind == "provider"
    nowhere = CLASSES[sdk]("small", base_url="http://127.0.0.1:9/v1", api_key=KEY, timeout=20)
    assert failure(called, nowhere, asked()).kind == "provider"


def test_the_input_limit_holds(sdk, server):
    from summary.conversation import words
    from trimtab.summary import Said

    ask = asked((Said("human", "keep this"), Said("result", "x " * 9_000)))
    summarise(made(sdk, server, max_input_tokens=900), ask)
    assert words(str(server.requests)) < 1_000
    assert "keep this" in server.requests[0]["messages"][-1]["content"]
    assert failure(called, made(sdk, server, max_input_tokens=9), ask).kind == "no_room"
    assert len(server.requests) == 1


def test_the_name_tells_the_settings_and_no_secret(sdk):
    def named(**options):
        return CLASSES[sdk]("small", api_key=KEY, **options).name

    assert named() == named(timeout=5, attempts=1, extra_headers={"Authorization": KEY})
    assert named().startswith(f"{sdk}/small/prompt-1/")
    assert len({named(), named(temperature=0), named(temperature=1), named(max_input_tokens=9)}) == 4
    assert named(x={"a": 1, "b": [2]}) == named(x={"b": [2], "a": 1})
    assert KEY not in named() + repr(CLASSES[sdk]("small", api_key=KEY, base_url="http://u:p@h"))


@pytest.mark.parametrize(
    "wrong",
    [{"timeout": 0}, {"timeout": float("inf")}, {"attempts": 0}, {"max_input_tokens": 0},
     {"x": object()}, {"client": object(), "base_url": "http://h"}],
)
def test_wrong_options(sdk, wrong):
    with pytest.raises(InvalidOptions):
        CLASSES[sdk]("small", **wrong)
