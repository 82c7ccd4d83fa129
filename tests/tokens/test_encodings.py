"""The encodings: the official data, tiktoken's counts, offline, loaded once."""

from __future__ import annotations

import pickle
import pkgutil
import runpy
import socket
import subprocess
import sys
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Barrier, Thread

import pytest
from support.corpus import conversations, requires_corpus
from support.engines import every_engine, fresh, noting, unloaded
from support.texts import NAMES, public_definition, random_texts, reference

from trimtab.errors import CounterError, InvalidOptions
from trimtab.tokens import encodings, engines
from trimtab.tokens.encodings import encoding, limit_memo, memo_stats
from trimtab.tokens.memo import LIMIT_BYTES
from trimtab.tokens.vocabulary import CL100K, O200K, Vocabulary, pack, tokens_of, unpack

both = pytest.mark.parametrize("vocabulary", [O200K, CL100K], ids=lambda v: v.name)
every = pytest.mark.parametrize("name", NAMES)
PACKER = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "pack_ranks.py"))


def official_file(vocabulary: Vocabulary) -> bytes:
    """The official rank file, written from the package's data."""
    tokens = enumerate(tokens_of(vocabulary))
    return b"".join(b64encode(t) + b" %d\n" % rank for rank, t in tokens)


# The data


@both
def test_the_data_is_the_official_file(vocabulary: Vocabulary) -> None:
    """Rebuilt from the package, the rank file has the digest that tiktoken pins."""
    _, pinned = public_definition(vocabulary.name)
    assert sha256(official_file(vocabulary)).hexdigest() == pinned


@both
def test_the_pattern_is_tiktokens(vocabulary: Vocabulary) -> None:
    definition, _ = public_definition(vocabulary.name)
    assert vocabulary.pattern == definition["pat_str"]


def test_harmony_shares_ranks_and_pattern() -> None:
    """So one engine and one memo serve both names."""
    base, base_digest = public_definition("o200k_base")
    harmony, harmony_digest = public_definition("o200k_harmony")
    assert (harmony["pat_str"], harmony_digest) == (base["pat_str"], base_digest)


@both
def test_the_longest_token_is_the_bound(vocabulary: Vocabulary) -> None:
    from trimtab.tokens.bounded import LONGEST_TOKEN

    assert max(map(len, tokens_of(vocabulary))) == LONGEST_TOKEN
    assert {bytes([b]) for b in range(256)} <= set(tokens_of(vocabulary))


@pytest.mark.parametrize("tokens", [[], [b"a"], [b"", b"x" * 255, b"\n\x00"]])
def test_unpacking_inverts_packing(tokens: list[bytes]) -> None:
    assert unpack(pack(tokens)) == tokens


@both
def test_the_tool_packs_the_official_file(vocabulary: Vocabulary) -> None:
    packed = PACKER["packed_ranks"](vocabulary.name, official_file(vocabulary))
    assert sha256(packed).hexdigest() == vocabulary.sha256


def test_the_tool_refuses_another_file() -> None:
    with pytest.raises(SystemExit, match="not the one that tiktoken pins"):
        PACKER["packed_ranks"]("o200k_base", official_file(CL100K))


@pytest.mark.parametrize(
    "damaged", [replace(CL100K, sha256="0" * 64), replace(CL100K, name="not_there")]
)
def test_damaged_data_is_a_counter_error(damaged: Vocabulary) -> None:
    with pytest.raises(CounterError, match=damaged.name):
        unloaded(damaged).count("text")


def test_a_truncated_file_is_a_counter_error(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pkgutil.get_data("trimtab.tokens", "data/cl100k_base.xz")
    assert whole is not None
    monkeypatch.setattr("pkgutil.get_data", lambda *_: whole[:100_000])
    with pytest.raises(CounterError, match="cannot be read"):
        unloaded(CL100K).count("text")


# The counts


@every
def test_counts_are_tiktokens(name: str) -> None:
    """By whichever engine is picked."""
    counter, plain = encoding(name), reference(name)
    for text in random_texts(11, 2000):
        assert counter.count(text) == len(plain.encode(text, disallowed_special=())), repr(text)


@every_engine
@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_many_counts_are_single_counts(name: str, engine: str) -> None:
    texts = [*random_texts(12, 500), "word " * 5000, "", "中文，" * 30_000]
    counter, plain = fresh(name, engine), reference(name)
    wanted = [len(plain.encode_ordinary(text)) for text in texts]
    assert counter.count_many(texts) == wanted
    assert counter.count_many(iter(texts)) == wanted
    assert list(map(fresh(name, engine).count, texts)) == wanted
    assert counter.count_many([]) == []


@requires_corpus
@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_counts_are_tiktokens_on_real_texts(name: str) -> None:
    counter, plain = encoding(name), reference(name)
    texts: list[str] = []
    for conversation in list(conversations("openai-chat"))[::8]:
        texts += [m["content"] for m in conversation["messages"] if type(m.get("content")) is str]
    assert len(texts) > 500
    assert counter.count_many(texts) == [len(plain.encode_ordinary(text)) for text in texts]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("<|endoftext|>", 7), ("\ud800", 1), ("a\udcffb", 3), ("\ud83d\ude00", 1)],
)
def test_specials_are_text_and_surrogates_are_repaired(text: str, tokens: int) -> None:
    assert encoding("o200k_base").count(text) == tokens
    assert encoding("o200k_harmony").count(text) == tokens


@every_engine
def test_a_text_is_tokenised_once(engine: str) -> None:
    counter, fed = noting("cl100k_base", engine)
    long = "word " * 40_000
    assert counter.count("twice") == counter.count("tw" + "ice")
    assert counter.count(long) == counter.count("word " * 40_000)
    assert counter.count_many(["twice", "new", "new", "other", long]) == [2, 1, 1, 1, 40_001]
    assert counter.count("new") == counter.within("other", 9) == 1
    assert fed.texts == ["twice", long, "new", "other"]


def test_it_counts_text_only() -> None:
    for other in (b"bytes", ["list"], ("tuple",)):
        with pytest.raises((InvalidOptions, TypeError)):
            encoding("o200k_base").count(other)  # type: ignore[arg-type]


# The singletons


def test_names() -> None:
    for name in NAMES:
        assert encoding(name) is encoding(name)
        assert encoding(name).name == name
        assert encoding(name).exact is True
        assert pickle.loads(pickle.dumps(encoding(name))) is encoding(name)
    with pytest.raises(InvalidOptions, match="o200k_base, o200k_harmony, cl100k_base"):
        encoding("gpt-4o")


def test_harmony_remembers_what_o200k_counted() -> None:
    text = "counted for one, known to the other"
    tokens = encoding("o200k_base").count(text)
    hits = encoding("o200k_harmony")._memo.hits
    assert encoding("o200k_harmony").count(text) == tokens
    assert encoding("o200k_base")._memo.hits == hits + 1


def test_threads_load_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight threads meet at an engine that is not loaded yet."""
    loads, load = [], engines.load
    monkeypatch.setattr(engines, "load", lambda v: loads.append(v.name) or load(v))
    counter, start, answers = unloaded(CL100K), Barrier(8), []

    def count(i: int) -> None:
        start.wait()
        answers.append(counter.count(f"thread {i}"))

    threads = [Thread(target=count, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == ["cl100k_base"]
    assert answers == [3] * 8


def test_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With no rank file in tiktoken's cache, and no socket to be had."""

    def refuse(*_args: object, **_more: object) -> None:
        raise AssertionError("a socket was asked for")

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(socket, "socket", refuse)
    assert unloaded(CL100K).count("offline") == 1
    assert list(tmp_path.iterdir()) == []


def test_importing_loads_nothing() -> None:
    """tiktoken is imported and a vocabulary read at the first text, not before."""
    code = """if True:
        import sys
        from trimtab.tokens.encodings import encoding
        assert "toktok" not in sys.modules
        counter = encoding("cl100k_base")
        assert not {"tiktoken", "lzma", "sqlite3"} & set(sys.modules)
        assert counter.count("text") == 1
        assert "tiktoken" in sys.modules and "requests" not in sys.modules
    """
    forced = {"TRIMTAB_ENGINE": "tiktoken"}
    subprocess.run([sys.executable, "-c", code], check=True, env=forced)


# The memo of each


def test_memo_stats_tell_what_helped() -> None:
    counter = encoding("cl100k_base")
    before = memo_stats()["cl100k_base"]
    counter.count_many(["never counted before by a test", "nor was this one"])
    counter.count("never counted before by a test")
    after = memo_stats()["cl100k_base"]
    assert (after.misses - before.misses, after.hits - before.hits) == (2, 1)
    assert after.entries == before.entries + 2
    assert before.bytes < after.bytes <= after.limit_bytes == LIMIT_BYTES
    assert after.hit_rate == after.hits / (after.hits + after.misses)
    assert after.engine == engines.engine_for(CL100K).name
    assert "o200k_harmony" not in memo_stats()
    assert encodings.MemoStats("none", 0, 0, 0, 0, 0, 0).hit_rate == 0


def test_the_memo_can_be_bounded() -> None:
    counter = encoding("cl100k_base")
    try:
        limit_memo(2000)
        for i in range(100):
            counter.count(f"text {i}")
        stats = memo_stats()["cl100k_base"]
        assert (stats.limit_bytes, stats.entries > 0) == (2000, True)
        assert stats.bytes <= 2000
        limit_memo(0)
        assert counter.count("not remembered") == counter.count("not remembered")
        assert memo_stats()["cl100k_base"].entries == 0
        with pytest.raises(InvalidOptions, match="limit_bytes"):
            limit_memo(-1)
    finally:
        limit_memo(LIMIT_BYTES)
