"""Mistral's models, counted by Mistral's own package ``mistral-common``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from ..errors import InvalidOptions
from .chat_counter import ChatCounter, guarded
from .chat_gauge import Count
from .gauge import Refused

_THINKING: Final = 13  # the first version of the rules that has reasoning
_THOUGHTS: Final = ("reasoning", "reasoning_content")
_VERSION: Final = re.compile(r"(v\d+)(-tekken)?")


def mistral(
    tokenizer: str | PathLike[str] | Any, *, own_system: bool | None = None, name: str | None = None
) -> ChatCounter:
    """A counter by Mistral's own tokeniser and rules, to be given as ``counter``.

    ``tokenizer`` is the path of a ``tekken.json`` or of a sentencepiece model, a version
    whose file the package brings (``"v3-tekken"``; ``"v1"``, ``"v2"``, ``"v3"``, ``"v7"``
    need ``sentencepiece``), a model name that the package knows, or a
    ``MistralTokenizer``. Texts are counted as ordinary text, also what looks like a
    special token; messages and tools by the package's own encoding of chat requests (see
    `ChatCounter`). ``own_system`` is as for `huggingface`.

    Raises `InvalidOptions` for what is no tokeniser, and where the package is not
    installed. Loading encodes about 300 small requests.
    """
    own: Any = tokenizer
    label = "mistral"
    if isinstance(tokenizer, (str, PathLike)):
        given = fspath(tokenizer)
        own, label = _loaded(given), Path(given).name
    try:
        encode = own.instruct_tokenizer.tokenizer.encode
        encode_chat, version = own.encode_chat_completion, str(own.version.value)
    except AttributeError:
        kind = type(own).__name__
        raise InvalidOptions(f"not of type {kind}, but a MistralTokenizer or a path") from None
    label = name or label
    tokens = guarded(label, lambda text: len(encode(text, bos=False, eos=False)))
    return ChatCounter(label, tokens, _counting(encode_chat, version), own_system=own_system)


def _counting(encode_chat: Callable[[Any], Any], version: str) -> Count:
    from mistral_common.exceptions import MistralCommonException
    from mistral_common.protocol.instruct.request import ChatCompletionRequest

    thinks = int(version[1:]) >= _THINKING

    def count(messages: Sequence[Any], tools: Sequence[Any] | None, _: int | None) -> int:
        said = list(messages) if thinks else [_thoughtless(message) for message in messages]
        offered = None if tools is None else list(tools)
        try:
            request = ChatCompletionRequest.from_openai(said, offered)
            return len(encode_chat(request).tokens)
        except (MistralCommonException, ValueError, TypeError, AssertionError) as error:
            raise Refused(type(error).__name__) from error

    return count


def _thoughtless(message: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name not in _THOUGHTS}


def _loaded(given: str) -> Any:
    try:
        from mistral_common.tokens.tokenizers.mistral import (
            MODEL_NAME_TO_TOKENIZER_CLS,
            MistralTokenizer,
        )
    except ImportError:
        raise InvalidOptions("a Mistral tokeniser needs the package mistral-common") from None
    version = _VERSION.fullmatch(given)
    try:
        if Path(given).is_file():
            return MistralTokenizer.from_file(given)
        if version and hasattr(MistralTokenizer, version[1]):
            load = getattr(MistralTokenizer, version[1])
            return load(is_tekken=True) if version[2] else load()
        if given in MODEL_NAME_TO_TOKENIZER_CLS:
            return MODEL_NAME_TO_TOKENIZER_CLS[given]()
    except Exception as error:
        raise InvalidOptions(f"the tokeniser {given!r} cannot be loaded: {error}") from error
    raise InvalidOptions(f"{given!r} is no file, and no name that mistral-common knows")
