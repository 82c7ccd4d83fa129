"""toktok counts as tiktoken does: real texts, every code point, texts made to differ."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.corpus import CORPUS, requires_corpus
from support.engines import engine_named, requires_toktok
from support.texts import SIGNS, SPACES, random_texts

from trimtab.errors import CounterError, InvalidOptions
from trimtab.tokens import engines, fast
from trimtab.tokens.engines import Tiktoken, engine_for
from trimtab.tokens.fast import doubtful
from trimtab.tokens.vocabulary import CL100K, O200K, tokens_of

NAMES = ("o200k_base", "cl100k_base")
both = pytest.mark.parametrize("name", NAMES)
slow = pytest.mark.slow


def differing(name: str, texts: list[str]) -> list[tuple[str, int, int]]:
    """The texts that the engines count differently, one by one or in a batch; the first few."""
    exact, fast = engine_named("tiktoken", name), engine_named("toktok", name)
    wanted = exact.count_many(texts)
    found = zip(texts, wanted, map(fast.count, texts), fast.count_many(texts), strict=True)
    return [(text, a, b) for text, a, b, c in found if not a == b == c][:5]


def in_parts(texts: Iterator[str], size: int = 2000) -> Iterator[list[str]]:
    part: list[str] = []
    for text in texts:
        part.append(text)
        if len(part) == size:
            yield part
            part = []
    yield part


# Parity


def strings(value: Any) -> Iterator[str]:
    """Every string in a value of JSON, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def corpus_texts(every: int) -> Iterator[str]:
    """Every string of every n-th line of the corpus, once; of what is no JSON, the lines."""
    seen: set[int] = set()
    packed = sorted(CORPUS.glob("*.jsonl.gz"))
    plain = sorted(path for path in CORPUS.rglob("*.json*") if path.suffix != ".gz")
    for path in [*packed, *plain]:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8", errors="surrogateescape") as lines:
            for line in islice(lines, 0, None, every):
                try:
                    found = strings(json.loads(line))
                except ValueError:
                    found = iter([line])
                for text in found:
                    if hash(text) not in seen:
                        seen.add(hash(text))
                        yield text


@requires_corpus
@requires_toktok
@pytest.mark.parametrize(
    "every", [pytest.param(40, id="sample"), pytest.param(1, id="all", marks=slow)]
)
def test_parity_on_the_corpus(every: int) -> None:
    seen = 0
    for part in in_parts(corpus_texts(every)):
        seen += len(part)
        for name in NAMES:
            assert differing(name, part) == []
    assert seen > 40_000 / every


def in_context(point: int) -> str:
    """A code point before, behind and between signs of each kind, doubled and in a word."""
    c = chr(point)
    return f"a{c}b{c}{c}1{c} {c}'{c}s A{c}\n{c}/!{c}\n\n{c}中{c}.{c}  {c}"


@requires_toktok
@both
@pytest.mark.parametrize(
    "points",
    [
        pytest.param(range(0, 0x110000, 97), id="sample"),
        pytest.param(range(0x3100), id="small"),
        pytest.param(range(0x110000), id="all", marks=slow),
    ],
)
def test_parity_on_every_code_point(name: str, points: range) -> None:
    for part in in_parts(map(in_context, points)):
        assert differing(name, part) == []


@cache
def pieces(name: str) -> list[str]:
    """The tokens of a vocabulary that are text."""
    vocabulary = O200K if name == "o200k_base" else CL100K
    return [token.decode(errors="ignore") for token in tokens_of(vocabulary)]


CONTRACTIONS = ["'", "'s", "'S", "'\u017f", "'ll", "'LL", "'re", "'vE", "'t", "\u2019", "\u2019s"]
RARE = [chr(p) for p in (0x17F, 0x88F, 0x1ACF, 0xA7D2, 0x10940, 0x11DE0, 0x16EA0, 0x18D09, 0x1E6C0, 0x323B0)]


def made_of_tokens(name: str, seed: int, number: int) -> Iterator[str]:
    """Tokens of the vocabulary among signs, spaces, contractions and any code point."""
    chance, tokens = random.Random(seed), pieces(name)
    hostile = [*SIGNS, *SPACES, *CONTRACTIONS, *RARE]
    for _ in range(number):
        wildness = chance.random()
        parts = [
            chance.choice(hostile) if chance.random() < wildness else chance.choice(tokens)
            for _ in range(chance.randint(1, 24))
        ]
        if chance.random() < 0.2:
            parts.insert(chance.randrange(len(parts)), chr(chance.randrange(0x110000)))
        if chance.random() < 0.1:
            parts.append(chance.choice(hostile) * chance.randint(2, 400))
        yield "".join(parts)


@requires_toktok
@both
@pytest.mark.parametrize(
    "number", [pytest.param(5_000, id="sample"), pytest.param(200_000, id="all", marks=slow)]
)
def test_parity_on_texts_made_to_differ(name: str, number: int) -> None:
    for part in in_parts(made_of_tokens(name, 7, number)):
        assert differing(name, part) == []
    assert differing(name, random_texts(81, number // 10)) == []


@requires_toktok
@pytest.mark.parametrize("text", ["re'\u017f'rerellll", in_context(0x10955), in_context(0x323D5)])
def test_why_some_signs_are_guarded(text: str) -> None:
    """Without the guard their counts differ. Should this fail, a guard can go."""
    import toktok

    wanted = engine_named("tiktoken", "o200k_base").count(text)
    assert toktok.truncate(text, 2**40, "o200k_base")[1] != wanted
    assert engine_named("toktok", "o200k_base").count(text) == wanted


def test_few_signs_are_guarded() -> None:
    points = (chr(p) for p in range(0x35000) if not 0xD800 <= p < 0xE000)
    guarded = {c for c in points if doubtful(c)}
    assert {"\u017f", "\u088f", "\ua7ce", "\U00010940", "\U0001e6ff", "\U00033479"} <= guarded
    blocks = {ord(c) >> 8 for c in guarded if ord(c) > 0xFFFF}
    assert not blocks & {*range(0x1D0, 0x1D8), *range(0x1F0, 0x1FB), *range(0x200, 0x2A7)}
    assert len(guarded) < 33_000


@pytest.mark.parametrize(
    "text",
    ["naïve façade — it’s 5 €", "Zażółć gęślą jaźń", "Ưu điểm", "Привет", "مرحبا", "שלום", "हिन्दी"]
    + ["ภาษาไทย", "ಕನ್ನಡ", "తెలుగు", "한국어", "日本語、中文。", "ქართული", "አማርኛ", "ខ្មែរ", "😀👩\u200d💻🇪🇺", "𝐛𝐨𝐥𝐝", "𠮷野家"],
)
def test_texts_in_use_are_not_guarded(text: str) -> None:
    assert not doubtful(text)


@requires_toktok
def test_a_batch_with_guarded_and_broken_texts() -> None:
    """One text with a lone surrogate or a long s, and the others are counted all the same."""
    for odd in ("\ud800", "a\udcffb", "\ud83d\ude00", "\u017f", "\u017f\ud800"):
        for name in NAMES:
            assert differing(name, ["before", odd, "", "behind", odd * 3]) == []


# Which engine counts


def test_an_engine_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIMTAB_ENGINE", "tiktoken")
    assert engine_for(O200K).name == "tiktoken"
    monkeypatch.setenv("TRIMTAB_ENGINE", "other")
    with pytest.raises(InvalidOptions, match="'other'; known are tiktoken and toktok"):
        engine_for(O200K)


@requires_toktok
@pytest.mark.parametrize("wanted", ["", "toktok"])
def test_toktok_is_picked_where_it_is_installed(
    wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIMTAB_ENGINE", wanted)
    assert engine_for(O200K).name == "toktok"


@pytest.mark.parametrize("version", [None, "0.2.9", "0.4.0", "1.0"])
def test_no_other_version_is_trusted(version: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither another version nor another package of that name."""
    other = type(sys)("toktok")
    if version is not None:
        other.__version__ = version  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "toktok", other)
    monkeypatch.delenv("TRIMTAB_ENGINE", raising=False)
    assert not fast.installed()
    assert engine_for(O200K).name == "tiktoken"


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toktok", None)
    monkeypatch.delenv("TRIMTAB_ENGINE", raising=False)
    assert engine_for(O200K).name == "tiktoken"
    monkeypatch.setenv("TRIMTAB_ENGINE", "toktok")
    with pytest.raises(CounterError, match=r"needs the package of trimtab\[fast\]"):
        engine_for(O200K)


@requires_toktok
def test_one_vocabulary_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where toktok counts, tiktoken's is loaded at the first text with a long s."""
    loads, load = [], engines.load
    monkeypatch.setattr(engines, "load", lambda v: loads.append(v.name) or load(v))
    counter = fast.Toktok("cl100k_base", Tiktoken(CL100K).count)
    assert counter.count_many(["plain", "\ud800", "naïve"]) == [1, 1, 3]
    assert loads == []
    counter.count("Congre\u017fs")
    assert loads == ["cl100k_base"]


@requires_toktok
def test_counting_with_toktok_imports_no_tiktoken() -> None:
    code = """if True:
        import sys
        from trimtab.tokens.encodings import encoding
        counter = encoding("cl100k_base")
        assert counter.count("text") == 1 and counter.count_many(["a", "b"]) == [1, 1]
        assert not {"tiktoken", "lzma", "sqlite3"} & set(sys.modules), sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True, env={"TRIMTAB_ENGINE": "toktok"})
