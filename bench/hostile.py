"""Texts made to hurt a tokeniser, at 1 MB and 10 MB: the CPU time for each MB, engine by engine.

Every count is compared between the engines. ``--markdown`` prints the table for the
documentation, ``--quick`` leaves out the 10 MB. MB are 10^6 bytes of UTF-8, surrogates
counted as three.
"""

from __future__ import annotations

import base64
import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rich.console import Console
from rich.table import Table

from trimtab.tokens.encodings import EncodingCounter
from trimtab.tokens.engines import Engine, Tiktoken
from trimtab.tokens.fast import Toktok, installed
from trimtab.tokens.memo import Memo
from trimtab.tokens.vocabulary import CL100K, O200K, Vocabulary

chance = random.Random(1)


def drawn(alphabet: str, size: int = 200_000) -> str:
    """Characters by chance, always the same."""
    return "".join(random.Random(len(alphabet)).choices(alphabet, k=size))


def base64_text(size: int = 150_000) -> str:
    """Base64 without line breaks."""
    return base64.b64encode(random.Random(3).randbytes(size)).decode()


JS = (
    "!function(e,t){for(var n=0,r=e.length;n<r;n++)if(t(e[n],n)===!1)return e[n];return null}"
    "(a,b);var _0x3f2a=['\\x68\\x65','push'];a&&(b=c?d:e,f=g||h);"
)
DEEP = '{"a":[' * 20_000 + "1" + "]}" * 20_000

# Each is repeated until it has the size; what is longer by itself is cut.
PATTERNS: dict[str, str] = {
    "spaces": " ",
    "tabs": "\t",
    "newlines": "\n",
    "CR LF": "\r\n",
    "no-break spaces": "\xa0",
    "wide spaces": "\u3000",
    "spaces, no newline near, then a letter": " " * 999_999 + "x",
    "60,000 no-break spaces and a sign": "\xa0" * 60_000 + "中",
    "spaces and newlines": "  \n\t",
    "one small letter": "a",
    "one capital": "A",
    "capital, small": "aB",
    "letters of no word": drawn("abcdefghijklmnopqrstuvwxyz"),
    "capitals and small letters of no word": drawn("abcdefghijABCDEFGHIJ"),
    "one Han sign": "中",
    "Han signs by chance": drawn("".join(map(chr, range(0x4E00, 0x9FFF, 7)))),
    "Hangul by chance": drawn("".join(map(chr, range(0xAC00, 0xD7A3, 7)))),
    "Thai by chance": drawn("".join(map(chr, range(0xE01, 0xE2F)))),
    "Devanagari with marks": "क्षि",
    "Arabic with marks": "مُحَمَّدٌ",
    "combining marks": "\u0301",
    "a letter with 100 marks": "e" + "\u0301\u0316" * 50,
    "modifier letters": "\u02b0",
    "digits": "7",
    "digits by chance": drawn("0123456789"),
    "fractions": "½",
    "hyphens": "-",
    "equal signs": "=",
    "underscores": "_",
    "slashes": "/",
    "quotes": '"',
    "apostrophes": "'",
    "contractions": "'s",
    "letter, apostrophe": "a'",
    "punctuation by chance": drawn("!?.,;:-_#+*~<>|@$%&/()=[]{}"),
    "punctuation and newlines": "!\n",
    "letter, space": "a ",
    "letter, hyphen": "a-",
    "emoji": "😀",
    "emoji by chance": drawn("".join(map(chr, range(0x1F300, 0x1F6FF)))),
    "emoji joined": "👩\u200d💻",
    "zero-width joiners": "\u200d",
    "zero-width spaces": "\u200b",
    "bidi controls": "\u202e\u2066\u2069\u202c",
    "flags and tags": "🏴\U000e0067\U000e0062\U000e007f",
    "NUL": "\x00",
    "control characters": "".join(map(chr, range(32))),
    "private use": "\ue000",
    "any code point": drawn("".join(chr(p) for p in range(0x20, 0x110000, 53) if not 0xD800 <= p < 0xE000)),
    "lone surrogates": "\ud800",
    "text with a lone surrogate": "word " * 1000 + "\ud800",
    "long s after apostrophes": "'\u017f",
    "signs of Unicode 17": "\U000323b0",
    "text with one long s a MB": "word " * 199_999 + "\u017f",
    "special tokens": "<|endoftext|>",
    "base64": base64_text(),
    "hexadecimal": drawn("0123456789abcdef"),
    "minified JavaScript": JS,
    "deep JSON": DEEP,
    "JSON of numbers": json.dumps([chance.random() for _ in range(5000)]),
    "a long URL": "https://example.com/a?" + drawn("abcdefghijklmnopqrstuvwxyz0123456789&=%2F+"),
    "DNA": drawn("ACGT"),
    "CSV of zeros": "0,",
    "ANSI colours": "\x1b[31m#\x1b[0m",
    "log lines": "2026-11-30T12:00:00.123Z ERROR [main] a.b.C: failed\n",
}


def size_of(text: str) -> float:
    """MB."""
    return len(text.encode("utf-8", "surrogatepass")) / 1e6


def stretched(pattern: str, megabytes: int) -> str:
    """The pattern again and again, until it has so many MB."""
    times = int(megabytes / size_of(pattern)) + 1
    return (pattern * times)[: int(len(pattern) * megabytes / size_of(pattern))]


def engines(vocabulary: Vocabulary) -> list[Engine]:
    """Those that are installed, loaded."""
    exact = Tiktoken(vocabulary)
    exact.count("load")
    if not installed():
        return [exact]
    quick = Toktok(vocabulary.name, exact.count)
    quick.count("load")
    return [exact, quick]


def timed(engine: Engine, name: str, text: str, runs: int) -> tuple[float, int]:
    """CPU seconds for each MB by a counter that remembers nothing, and the tokens."""
    best, tokens = float("inf"), 0
    for _ in range(runs):
        counter = EncodingCounter(name, engine, Memo(), Memo())
        started = time.process_time()
        tokens = counter.count(text)
        best = min(best, time.process_time() - started)
    return best / size_of(text), tokens


def measure(vocabulary: Vocabulary, sizes: list[int]) -> list[list[str]]:
    """A row for each pattern."""
    rows: list[list[str]] = []
    found = engines(vocabulary)
    for name, pattern in PATTERNS.items():
        row = [name]
        counts: dict[int, set[int]] = {}
        for engine in found:
            for megabytes in sizes:
                text = stretched(pattern, megabytes)
                seconds, tokens = timed(engine, vocabulary.name, text, 3 if megabytes == 1 else 1)
                counts.setdefault(megabytes, set()).add(tokens)
                row.append(f"{seconds * 1e3:,.0f}" if seconds > 0.0095 else f"{seconds * 1e3:,.1f}")
        assert all(len(tokens) == 1 for tokens in counts.values()), (name, counts)
        rows.append(row)
    return rows


def main() -> None:
    """Print a table for each encoding."""
    sizes = [1] if "--quick" in sys.argv else [1, 10]
    for vocabulary in (O200K, CL100K):
        names = [engine.name for engine in engines(vocabulary)]
        heads = ["pattern", *(f"{name}, {size} MB" for name in names for size in sizes)]
        rows = measure(vocabulary, sizes)
        print(f"{vocabulary.name}: {len(rows)} patterns, ms of CPU time for each MB")
        if "--markdown" in sys.argv:
            print("\n| " + " | ".join(heads) + " |\n|---|" + "---:|" * (len(heads) - 1))
            for row in rows:
                print("| " + " | ".join(row) + " |")
        else:
            table = Table(*heads)
            for row in rows:
                table.add_row(*row)
            Console(width=110).print(table)
        for at, head in enumerate(heads[1:], 1):
            worst = max(rows, key=lambda row, at=at: float(row[at].replace(",", "")))
            print(f"worst of {head}: {worst[at]} ms a MB, {worst[0]}")


if __name__ == "__main__":
    main()
