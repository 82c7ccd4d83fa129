"""Histories with pictures: the human messages of a history of any format get one more part."""

from __future__ import annotations

import base64
from copy import copy
from dataclasses import dataclass
from typing import Any

from support.shapes import History
from support.words import PIXEL

PICTURED = [
    *("openai-chat", "anthropic", "openai-responses", "gemini", "bedrock-converse", "mistral"),
    *("strict-chat", "fine-tuning", "langchain", "pydantic-ai", "llama-index", "openai-agents"),
    *("vercel-ai", "vercel-ui", "mcp"),
]
"""All formats but ShareGPT, whose values are texts."""
DATA = f"data:image/png;base64,{PIXEL}"
BYTES = base64.b64decode(PIXEL)


@dataclass
class Binary:
    """What pydantic-ai calls ``BinaryContent``."""

    data: bytes
    media_type: str
    kind: str = "binary"


@dataclass
class Image:
    """What LlamaIndex calls ``ImageBlock``."""

    image: bytes
    image_mimetype: str | None = None
    block_type: str = "image"


PARTS: dict[str, Any] = {
    **dict.fromkeys(
        ("openai-chat", "mistral", "strict-chat", "fine-tuning"),
        {"type": "image_url", "image_url": {"url": DATA}},
    ),
    "anthropic": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
    },
    **dict.fromkeys(
        ("openai-responses", "openai-agents"), {"type": "input_image", "image_url": DATA}
    ),
    "gemini": {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
    "bedrock-converse": {"image": {"format": "png", "source": {"bytes": BYTES}}},
    "langchain": {"type": "image", "base64": PIXEL, "mime_type": "image/png"},
    "pydantic-ai": Binary(BYTES, "image/png"),
    "llama-index": Image(BYTES, "image/png"),
    "vercel-ai": {"type": "image", "image": PIXEL, "mediaType": "image/png"},
    "vercel-ui": {"type": "file", "url": DATA, "mediaType": "image/png"},
    "mcp": {"type": "image", "data": PIXEL, "mimeType": "image/png"},
}


def illustrated(format: str, message: Any) -> Any:
    """A human message with a picture behind its words."""
    part = copy(PARTS[format])
    if format == "pydantic-ai":
        made = copy(message)
        made.parts = [_prompt(one, part) for one in message.parts]
        return made
    if format == "llama-index":
        return message.model_copy(update={"blocks": [*message.blocks, part]})
    if format == "langchain":
        return message.model_copy(update={"content": [*_parts(message.content, "text"), part]})
    field = "parts" if format in ("gemini", "vercel-ui") else "content"
    text = "input_text" if format in ("openai-responses", "openai-agents") else "text"
    return {**message, field: [*_parts(message[field], text), part]}


def with_pictures(format: str, shape: Any, history: History) -> History:
    """The history with a picture in every message that is a human's alone."""
    return [
        illustrated(format, message) if _human(shape.read(message)) else message
        for message in history
    ]


def _human(facts: Any) -> bool:
    return facts.role == "human" and facts.human and not facts.steers


def _prompt(part: Any, picture: Any) -> Any:
    if part.part_kind != "user-prompt":
        return part
    made = copy(part)
    made.content = [*([part.content] if isinstance(part.content, str) else part.content), picture]
    return made


def _parts(content: Any, kind: str) -> list[Any]:
    if isinstance(content, dict):
        return [content]
    return [{"type": kind, "text": content}] if isinstance(content, str) else list(content)
