"""Checks not run, each with its reason, and those that the design decides otherwise."""

from __future__ import annotations

import re

# (pattern of the case id, pattern of the check, why)
_LATER = [
    (".*", r"\[truncate( text| args)?\]", "shortening of human text and of arguments: later work"),
    (".*", r"\[dialect (?!openai)", "dialects of other chat templates: later work"),
    (".*", r"\[strip_thinking\]", "removing old thinking is asked by Policy.reasoning: later work"),
    (".*", r"time<", "tests hold no clock; calls are counted instead, the bench measures time"),
    ("grp-n8n-34166", ".*", "a window of turns (keep_last_turns): later work"),
    ("grp-pi-8667", r"summary never", "no summaries yet: later work"),
    ("grp-openclaw-8525", ".*", "summary with keep_last: later work"),
    ("sys-moltis-505", ".*", "summary with keep_last: later work"),
    ("sys-letta-2512", ".*", "summary with keep_last: later work"),
    ("val-cliproxyapi-4572", ".*", "inserting a summary: later work"),
    ("grp-openclaw-10700", ".*", "clearing old tool results (clear_results): later work"),
    ("val-openclaw-39919", ".*", "removing old thinking: later work"),
    ("val-jev-79", ".*", "dropping tool traffic only: later work"),
    ("val-dcp-468", ".*", "dropping empty messages: later work"),
]

# Where the reports' reading and DESIGN.md differ, DESIGN.md wins: the check that is made instead.
DECIDED_OTHERWISE: dict[tuple[str, str], str] = {
    # Law 5: the opener stays, so the human message that the kept run answers leads it.
    (
        "grp-semantic-kernel-12708",
        "kept indices in [[0, 5, 6], [0, 6]]",
    ): "kept indices == [0, 1, 5, 6]",
    (
        "grp-spring-ai-5940",
        "kept indices in [[1, 2, 3, 4], [3, 4], [4]]",
    ): "kept indices == [0, 3, 4]",
    # §5: repair answers a call in the middle ("interrupted") instead of dropping it.
    (
        "grp-n8n-26046",
        "[repair] kept indices == [2, 3, 4]",
    ): "[repair] kept indices == [1, 2, 3, 4]",
    # §5, formats.md: ids are unique for that API, so the second use itself is the fault.
    (
        "ids-claude-auth-263",
        "[strict] raises orphan error",
    ): "[strict] raises duplicate-call error naming m1",
    # The report estimates four letters a token; o200k takes eight of these, and is exact.
    ("cnt-prompt-injection-646", "count(0) >= 50"): "count(0) >= 40",
    # The vocabularies come with the package, so there is nothing to load that could fail.
    ("cnt-redis-memory-237", "does not raise"): "counts without a network",
    ("cnt-redis-memory-237", "count(0) > 0"): "counts without a network",
    # formats.md §2: the length of a blob is no measure; the count says that it estimates.
    ("cnt-slicc-2690", "count(0) > count(1)"): "count is an estimate",
}

# Histories that are broken as they come. The reports expect a result by default; by law 12
# and DESIGN §5 they are refused by default, so checks without a mode are made on the
# repaired history.
BROKEN = {
    "cnt-odysseus-2751": "two turns to be counted, the first unanswered",
    "cnt-litellm-31280": "two turns to be counted, the first unanswered",
    "grp-n8n-26046": "a leading orphan, and a call that nobody answered",
    "grp-n8n-34385": "an unanswered call before the newest human message",
    "grp-clawith-487": "a stray tool message",
    "grp-crush-3439": "human text between a call and its result",
    "grp-stavrobot-14": "human text between a call and its result",
    "grp-pi-8667": "an old summary between a call and its result",
    "grp-agent-os-3244": "an orphan block",
    "grp-ag2-2798": "a foreign result",
    "grp-adk-5602": "a second result for a call that was answered",
    "grp-adk-3970": "an unanswered call before human text",
    "ids-cliproxyapi-4998": "a duplicate result",
    "ids-roo-9248": "a duplicate result within one message",
    "ids-claude-auth-263": "a call id used twice, the second time unanswered",
}


def why_skipped(case_id: str, check: str) -> str | None:
    """The written reason for which this check is not run, if there is one."""
    for case_pattern, check_pattern, why in _LATER:
        if re.fullmatch(case_pattern, case_id) and re.match(check_pattern, check):
            return why
    return None
