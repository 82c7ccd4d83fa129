"""Models that take reasoning back only behind what stood before it when it was made.

Sources: Anthropic, "Prefix checks on thinking blocks" (the models with preserved thinking,
from Claude Fable 5.1 on); OpenAI, "Keep the prefix unchanged"; both read November 2026.
"""

from __future__ import annotations

from typing import Final

CLAUDE: Final = (
    "newer Claude models refuse or drop it, unless the request sets "
    'thinking.block_binding.prefix_mismatch_behavior to "drop_block" (beta header '
    "thinking-binding-controls-2026-08-01)"
)
OPENAI: Final = (
    "newer OpenAI models leave it out by themselves and list it in input_transformations"
)
REMOVED: Final = "[The reasoning was removed.]"
"""What is left of a message that held nothing but reasoning."""
