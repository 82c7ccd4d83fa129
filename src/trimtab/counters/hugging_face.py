"""Tokenisers of open-weight models: ``tokenizer.json``, ``tokenizers``, ``transformers``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import InvalidOptions
from .chat import parsed
from .chat_counter import ChatCounter, TokenizerCounter, Tokens, guarded
from .chat_gauge import Count
from .longest_token import Bound, longest_token
from .template import Template

_SPECIAL: Final = ("bos_token", "eos_token", "pad_token", "unk_token", "sep_token", "cls_token")
Templates = str | Mapping[str, str]


def huggingface(
    tokenizer: str | PathLike[str] | Any,
    *,
    template: Templates | None = None,
    variables: Mapping[str, Any] | None = None,
    own_system: bool | None = None,
    name: str | None = None,
) -> TokenizerCounter:
    """A counter by a Hugging Face tokeniser, to be given as ``counter``.

    ``tokenizer`` is the path of a ``tokenizer.json`` or of its directory, a
    ``tokenizers.Tokenizer``, or a tokeniser of ``transformers``. Texts are counted
    exactly as it encodes them, without special tokens added; what looks like a special
    token in a text is one, as it is to a server that renders and then tokenises.

    With a chat template messages are priced by it, framing and tools included (see
    `ChatCounter`): that of the ``transformers`` object, or that of
    ``chat_template.jinja``, ``chat_template.json`` or ``tokenizer_config.json`` beside
    the file. ``template`` gives another one, several by name, or ``""`` for none; without
    one, messages get the framing of their format. ``variables`` are given to the template
    (``enable_thinking``, ``bos_token``, ...). ``own_system`` says whether every
    conversation has a system text (then the one that a template gives by itself is not
    counted) or none has (then a template that puts it into the first turn is exact).

    Raises `InvalidOptions` for what is no tokeniser or template, for a template that
    refuses a plain conversation, and where ``tokenizers`` or ``jinja2`` is needed and not
    installed. Loading renders about 300 small requests.
    """
    if isinstance(tokenizer, (str, PathLike)):
        path = _file(Path(fspath(tokenizer)))
        read = _beside(path.parent) if template is None else _Chat(template, _special_beside(path))
        engine, label = _loaded(path), path.resolve().parent.name
    else:
        engine = _own_copy(getattr(tokenizer, "backend_tokenizer", tokenizer))
        own = getattr(tokenizer, "chat_template", None)
        special = getattr(tokenizer, "special_tokens_map", None)
        read = _Chat(own if template is None else template, _texts(special))
        label = str(getattr(tokenizer, "name_or_path", "") or type(tokenizer).__name__)
    label = name or label
    tokens, bound = guarded(label, _encoding(engine)), longest_token(engine)
    if not read.template:
        return TokenizerCounter(label, tokens, bound)
    chat = Template(read.template, {**read.special, **(variables or {})})
    count = _counting(chat, tokens, bound)
    counter = ChatCounter(label, tokens, count, bound, own_system=own_system)
    return counter.unsure() if chat.asks_date else counter


class _Chat(NamedTuple):
    """A chat template, if there is one, and the special tokens that it may name."""

    template: Templates | None
    special: dict[str, str]


def _counting(template: Template, tokens: Tokens, bound: Bound | None) -> Count:
    def count(messages: Sequence[Any], tools: Sequence[Any] | None, most: int | None) -> int:
        text = template.render(parsed(messages), tools)
        if most is not None and bound and bound.exceeds(text, most):
            return most + 1
        return tokens(text)

    return count


def _file(path: Path) -> Path:
    file = path / "tokenizer.json" if path.is_dir() else path
    if not file.is_file():
        raise InvalidOptions(f"there is no tokenizer.json at {str(path)!r}")
    return file


def _loaded(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise InvalidOptions("a tokenizer.json needs the package tokenizers") from None
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        raise InvalidOptions(f"{str(path)!r} cannot be read as a tokenizer.json") from error
    return _whole(tokenizer)


def _own_copy(tokenizer: Any) -> Any:
    """A copy that no later change to the caller's object reaches, where one can be made.

    A tokeniser in Python alone has none and is used as it is.
    """
    if not hasattr(tokenizer, "to_str"):
        return tokenizer
    return _whole(type(tokenizer).from_str(tokenizer.to_str()))


def _whole(tokenizer: Any) -> Any:
    """The tokeniser without the truncation and padding that its file may ask for."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _encoding(tokenizer: Any) -> Tokens:
    encode: Any = getattr(tokenizer, "encode", None)
    if not callable(encode):
        kind = type(tokenizer).__name__
        raise InvalidOptions(f"a tokeniser is a path or has a method encode, not of type {kind}")
    return lambda text: len(encode(text, add_special_tokens=False))  # pyright: ignore[reportArgumentType]


def _beside(directory: Path) -> _Chat:
    """The chat template in a model's directory, the newest way of storing it first."""
    special = _special_beside(directory / "tokenizer.json")
    file = directory / "chat_template.jinja"
    if file.is_file():
        return _Chat(file.read_text("utf-8"), special)
    for name in ("chat_template.json", "tokenizer_config.json"):
        found = _read_json(directory / name).get("chat_template")
        if isinstance(found, list):
            found = {str(one["name"]): str(one["template"]) for one in found}
        if found:
            return _Chat(found, special)
    return _Chat(None, special)


def _special_beside(path: Path) -> dict[str, str]:
    return _texts(_read_json(path.parent / "tokenizer_config.json"))


def _texts(values: Any) -> dict[str, str]:
    """The special tokens among some settings, each a text or a dict that holds one."""
    found: dict[str, str] = {}
    for name in _SPECIAL if isinstance(values, Mapping) else ():
        value = values.get(name)
        content = value.get("content") if isinstance(value, Mapping) else value
        if content is not None:
            found[name] = str(content)
    return found


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        read = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InvalidOptions(f"{str(path)!r} is no JSON") from error
    return read if isinstance(read, dict) else {}
