"""Tokenisers of open-weight models as counters of texts."""

from __future__ import annotations

import builtins
import json
import sys

import pytest
from counters.small_models import CHATML, TOKENS, save_model, small_bpe, tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab import CounterError, InvalidOptions
from trimtab.counters import huggingface
from trimtab.counters.chat_counter import ChatCounter
from trimtab.counters.longest_token import longest_token
from trimtab.formats.registry import format_named
from trimtab.tokens.counter import Counter

TEXTS = ["", "The trim tab steers the ship.", "日本語 🙂", " a  b\n\n", "<|start|>user", "x" * 5000]


def real(text, model=None):
    return len((model or small_bpe()).encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_counted_as_the_tokeniser_encodes_them(text):
    counter = huggingface(small_bpe())
    assert isinstance(counter, Counter)
    assert counter.exact
    assert counter.count(text) == counter.count_many([text])[0] == real(text)
    tokens = real(text)
    assert counter.fits(text, tokens)
    assert not counter.fits(text, tokens - 1)
    assert counter.within(text, tokens) == tokens


@settings(deadline=None)
@given(st.text(), st.integers(0, 20))
def test_within_agrees_with_the_count(text, limit):
    counter = huggingface(small_bpe())
    tokens = real(text)
    assert counter.within(text, limit) == (tokens if tokens <= limit else None)


def test_special_tokens_are_not_added():
    made = tokenizers.Tokenizer.from_str(small_bpe().to_str())
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="<|begin|> $A", special_tokens=[("<|begin|>", made.token_to_id("<|begin|>"))]
    )
    assert len(made.encode("ship").ids) == real("ship") + 1
    assert huggingface(made).count("ship") == real("ship")


def test_the_callers_truncation_and_padding_are_neither_used_nor_changed():
    made = tokenizers.Tokenizer.from_str(small_bpe().to_str())
    made.enable_truncation(4)
    made.enable_padding(length=4)
    counter = huggingface(made)
    assert counter.count(TEXTS[1]) == real(TEXTS[1]) > 4
    assert counter.count("x") == 1
    assert made.truncation["max_length"] == made.padding["length"] == 4
    later = tokenizers.Tokenizer.from_str(small_bpe().to_str())
    counter = huggingface(later)
    later.enable_truncation(4)
    assert counter.count(TEXTS[1]) == real(TEXTS[1])


def test_lone_surrogates_are_repaired():
    assert huggingface(small_bpe()).count("a\ud800b") == real("a\ufffdb")
    assert huggingface(small_bpe()).count("\ud83d\ude42") == real("🙂")


class Recording:
    """A tokeniser in Python, as the slow ones of transformers are."""

    name_or_path = "slow/model"

    def __init__(self, template=None):
        self.chat_template = template
        self.special_tokens_map = dict(TOKENS)
        self.texts = []

    def encode(self, text, *, add_special_tokens):
        assert not add_special_tokens
        self.texts.append(text)
        return small_bpe().encode(text, add_special_tokens=False).ids


def test_transformers_tokenisers_are_told_by_what_they_can_do():
    slow = Recording()
    counter = huggingface(slow)
    assert counter.name == "slow/model"
    assert counter.count("ship") == real("ship")
    assert not isinstance(counter, ChatCounter)
    fast = Recording("{{ bos_token }}" + CHATML)
    fast.backend_tokenizer = small_bpe()
    chat = huggingface(fast)
    begun = "<|begin|><|start|>user\nHi<|end|>\n<|start|>assistant\n"
    assert chat.total([{"role": "user", "content": "Hi"}]) == real(begun)
    assert fast.texts == []


def test_a_text_is_tokenised_once():
    slow = Recording()
    counter = huggingface(slow)
    assert [counter.count("ship") for _ in range(3)] == [real("ship")] * 3
    assert slow.texts == ["ship"]


def test_a_failing_tokeniser_is_a_counter_error_without_the_text():
    slow = Recording()
    slow.encode = lambda text, add_special_tokens: [][len(text)]
    with pytest.raises(CounterError, match="slow/model raised IndexError") as caught:
        huggingface(slow).count("secret")
    assert "secret" not in str(caught.value)


def test_a_directory_brings_its_template_and_special_tokens(tmp_path):
    model = save_model(tmp_path / "small", "{{ bos_token }}{{ eos_token }}" + CHATML)
    begun = "<|begin|></s><|start|>user\nHi<|end|>\n<|start|>assistant\n"
    hi = [{"role": "user", "content": "Hi"}]
    for path in (model, str(model), model / "tokenizer.json"):
        counter = huggingface(path)
        assert counter.name == "small"
        assert counter.total(hi) == real(begun)
    named = [{"name": "default", "template": CHATML}, {"name": "tool_use", "template": "x"}]
    save_model(model, named)
    assert huggingface(model).total(hi) == real(begun) - 2
    (model / "chat_template.jinja").write_text("{{ eos_token }}" + CHATML)
    assert huggingface(model).total(hi) == real(begun) - 1
    own = huggingface(model, template="{{ bos_token }}" * 3 + CHATML)
    assert own.total(hi) == real(begun) + 1
    assert not isinstance(huggingface(model, template=""), ChatCounter)


def test_a_file_alone_counts_texts(tmp_path):
    small_bpe().save(str(tmp_path / "tokenizer.json"))
    counter = huggingface(tmp_path / "tokenizer.json", name="mine")
    assert (counter.name, counter.count("ship")) == ("mine", real("ship"))
    assert not isinstance(counter, ChatCounter)


@pytest.mark.parametrize("wrong", ["missing.json", 7, None, {}], ids=str)
def test_what_is_no_tokeniser_is_refused(wrong, tmp_path):
    with pytest.raises(InvalidOptions):
        huggingface(str(tmp_path / wrong) if isinstance(wrong, str) else wrong)


def test_damaged_files_are_refused(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InvalidOptions, match="cannot be read"):
        huggingface(tmp_path)
    model = save_model(tmp_path / "model")
    (model / "tokenizer_config.json").write_text("{")
    with pytest.raises(InvalidOptions, match="no JSON"):
        huggingface(model)


@pytest.mark.parametrize("package", ["tokenizers", "jinja2"])
def test_a_missing_package_is_named(package, tmp_path, monkeypatch):
    model = save_model(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InvalidOptions, match=package):
        huggingface(model)


def test_importing_the_counters_imports_nothing_heavy(monkeypatch):
    imported = []
    original = builtins.__import__

    def spy(name, globals=None, locals=None, fromlist=(), level=0):
        if not level:
            imported.append(name.partition(".")[0])
        return original(name, globals, locals, fromlist, level)

    for name in [name for name in sys.modules if name.startswith("trimtab.counters")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", spy)
    import trimtab.counters  # noqa: F401

    assert not {"tokenizers", "jinja2", "mistral_common", "anthropic", "openai"} & set(imported)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_token_stands_for_more_bytes_than_the_bound(text):
    for model in (small_bpe(), small_bpe("NFC")):
        bound = longest_token(model)
        tokens = real(text, model)
        assert not bound.exceeds(text, tokens)


@pytest.mark.parametrize(
    ("part", "made"),
    [
        ("normalizer", lambda t: t.normalizers.Strip()),
        ("pre_tokenizer", lambda t: t.pre_tokenizers.Whitespace()),
        (
            "pre_tokenizer",
            lambda t: t.pre_tokenizers.Sequence(
                [t.pre_tokenizers.Split("a", "removed"), t.pre_tokenizers.ByteLevel()]
            ),
        ),
    ],
    ids=["strip", "whitespace", "removing"],
)
def test_there_is_no_bound_where_characters_may_go(part, made):
    model = tokenizers.Tokenizer.from_str(small_bpe().to_str())
    assert longest_token(model) is not None
    setattr(model, part, made(tokenizers))
    assert longest_token(model) is None


def test_a_token_that_swallows_blanks_takes_the_bound_away():
    model = tokenizers.Tokenizer.from_str(small_bpe().to_str())
    model.add_special_tokens([tokenizers.AddedToken("<mask>", lstrip=True)])
    assert longest_token(model) is None
    blanks = " " * 9000 + "<mask>"
    assert huggingface(model).within(blanks, 2) == real(blanks, model) == 1


def test_what_cannot_fit_is_not_tokenised(monkeypatch):
    counter = huggingface(small_bpe(), template=CHATML)
    seen = []
    engine = counter._tokens
    monkeypatch.setattr(counter, "_tokens", lambda text: seen.append(len(text)) or engine(text))
    assert counter.within("ship " * 100_000, 1000) is None
    assert seen == []
    huge = {"role": "tool", "tool_call_id": "1", "content": "ship " * 100_000}
    meter = counter.meter(format_named("openai-chat"))
    assert meter.within(huge, 1000) is None
    exact = meter.message(huge)
    assert exact > 100_000
    assert (meter.within(huge, exact - 1), meter.within(huge, exact)) == (None, exact)


def test_settings_of_any_shape_are_read(tmp_path):
    model = save_model(tmp_path)
    (model / "tokenizer_config.json").write_text(json.dumps([1]))
    assert not isinstance(huggingface(model), ChatCounter)
