"""Policies with every pass, in any combination; a counter that any format knows."""

from hypothesis import strategies as st

from trimtab import ClearResults, Policy, per_message
from trimtab.steady import Steady

SIZE = per_message(lambda message: 1 + len(str(message)) // 8)
THOROUGH = ("openai-chat", "anthropic", "gemini")
CLOSED = ("fine-tuning", "sharegpt")  # such a history has no prefixes that are whole

clearing = st.none() | st.builds(
    ClearResults,
    keep=st.integers(0, 3),
    exclude=st.sampled_from([(), ("look_up",)]),
    keep_errors=st.booleans(),
    smallest=st.sampled_from([0, 5, 50]),
    at_least=st.sampled_from([None, 0, 30]),
    inputs=st.booleans(),
)
policies = st.builds(
    Policy,
    depth=st.sampled_from([None, 0.5, 0.8, Steady("0.1", "1.25"), Steady("0.1", "1.25", floor=40)]),
    keep_first=st.sampled_from([0, 2]),
    max_result_tokens=st.sampled_from([None, 20]),
    notice=st.booleans(),
    reasoning=st.sampled_from(["keep", "drop_after_edit", "drop_earlier"]),
    clear_results=clearing,
    media=st.sampled_from([None, 0, 1]),
    repeats=st.booleans(),
    handles=st.booleans(),
)
