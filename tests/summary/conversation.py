"""A small conversation that the tests of summarisers share."""

from __future__ import annotations

from trimtab.summary import Ask, Said

SECRET = "the heron nests at berth nine"
SAID = (
    Said("human", f"Please fix the tide table in src/tides/table.py. {SECRET}. You must not touch tests."),
    Said("call", "read_file src/tides/table.py"),
    Said("result", "line 14: KeyError: 'low_water'\nTIDES = 17.25"),
    Said("assistant", "I decided to rename low_water to lowWater because of https://example.org/spec."),
)


def words(text):
    return len(text.split())


def asked(said=SAID, previous=None, max_tokens=200, **more):
    return Ask(previous, tuple(said), max_tokens, **{"count": words, **more})
