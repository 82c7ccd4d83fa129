"""Small texts for generated histories: plain, nasty, long and nearly empty ones."""

from __future__ import annotations

from random import Random

_WORDS = ["harbour", "lantern", "gravel", "seven", "update", "the", "of", "run", "tests", "error"]
_NASTY = [
    "<|endoftext|> and <|im_start|>",
    "今日は公園で花を見る",
    "👩‍👩‍👧 🐙 e\u0301",
    '{"rows": [1, 2, {"deep": null}]}',
    "\x1b[31mred\x1b[0m\x07",
    "line one\n\n\tline two\r\n",
    "'ſ'ſ",
]


def words(rng: Random, low: int = 1, high: int = 12) -> str:
    """A text that is never blank; about one in eight holds something nasty."""
    text = " ".join(rng.choices(_WORDS, k=rng.randint(low, high)))
    return f"{text} {rng.choice(_NASTY)}" if rng.random() < 0.125 else text


def output(rng: Random) -> str:
    """What a tool returned: mostly short, sometimes long, sometimes nothing."""
    draw = rng.random()
    if draw < 0.1:
        return rng.choice(["", " ", "\n", "0"])
    if draw < 0.25:
        return "\n".join(words(rng, 8, 12) for _ in range(rng.randint(20, 60)))
    return words(rng, 1, 20)


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""A real PNG of one pixel, base64."""
