"""A small model of a cache that matches at marks: what is stored, and what a request finds."""

from __future__ import annotations

import json

LOOKBACK, MOST = 20, 4


def flat(body):
    """All blocks of a request in order, each with whether it is marked; the marks are taken off."""
    found = []
    config = body.get("toolConfig") or {}
    parts = [("tool", body.get("tools") or config.get("tools") or [])]
    system = body.get("system") or []
    parts.append(("system", [system] if isinstance(system, str) else system))
    for message in body["messages"]:
        content = message["content"]
        parts.append((message["role"], [content] if isinstance(content, str) else content))
    for at, (role, blocks) in enumerate(parts):
        for block in blocks:
            if isinstance(block, dict) and "cachePoint" in block:
                found[-1] = (*found[-1][:2], True)
                continue
            plain, mark = block, False
            if isinstance(block, dict) and "cache_control" in block:
                plain, mark = {k: v for k, v in block.items() if k != "cache_control"}, True
            if isinstance(plain, str):
                plain = {"text": plain}
            text = json.dumps({k: v for k, v in plain.items() if k != "type"}, sort_keys=True)
            found.append((f"{at} {role} {text}", None, mark))
    return found


class Service:
    """Stores prefixes at marks; a request reads the longest that one of its marks finds."""

    def __init__(self):
        self.stored: set[tuple[str, ...]] = set()

    def send(self, body):
        """Blocks read from the cache, and blocks up to the last mark."""
        blocks = flat(body)
        texts = tuple(text for text, _, _ in blocks)
        marks = [at + 1 for at, (_, _, mark) in enumerate(blocks) if mark]
        assert len(marks) <= MOST, "the API refuses more marks"
        read = 0
        for mark in marks:
            for place in range(mark, max(mark - LOOKBACK, 0), -1):
                if texts[:place] in self.stored:
                    read = max(read, place)
                    break
        self.stored |= {texts[:mark] for mark in marks}
        return read, max(marks, default=0)
