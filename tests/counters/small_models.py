"""Own small tokenisers and chat templates, of the shapes that open-weight models have."""

from __future__ import annotations

import json
from functools import cache

import pytest

tokenizers = pytest.importorskip("tokenizers", reason="needs the package tokenizers")
pytest.importorskip("jinja2", reason="needs the package jinja2")

_TEXT = (
    "The trim tab is a small surface on the rudder that steers the ship. "
    "It turns the wheel, the wheel turns the helm, and the helm turns the ship about.\n\n"
    "user assistant system tool function name arguments content thought thinking "
    '{"name": "find", "arguments": {"path": "a/b.py", "lines": [1, 2, 30]}}\n'
    "def steer(angle: float) -> float:\n    return angle * 0.5\n"
)
SPECIAL = (
    "<|begin|>",
    "<|start|>",
    "<|end|>",
    "<|header|>",
    "<|/header|>",
    "[U]",
    "[/U]",
    "</s>",
    "<think>",
    "</think>",
)


@cache
def small_bpe(normalizer=None):
    """A byte-level BPE of 500 tokens with a few special ones, trained on the spot."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    if normalizer:
        made.normalizer = getattr(tokenizers.normalizers, normalizer)()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=list(SPECIAL),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([_TEXT] * 5, trainer)
    return made


CHATML = """\
{%- for m in messages %}
<|start|>{{ m.role }}
{{ m.content }}<|end|>
{% endfor %}
{%- if add_generation_prompt %}
<|start|>assistant
{% endif %}"""

# A default system text, tools in it, results gathered in user turns, and reasoning only
# since the last question.
THINKER = """\
{%- set ns = namespace(last=-1) %}
{%- for m in messages %}{% if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}
{%- if messages[0].role != 'system' or tools %}
<|start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}{% else %}You steer ships.{% endif %}
{%- if tools %}

# Tools
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}{% endif %}<|end|>
{% endif %}
{%- for m in messages %}
{%- if m.role == 'system' and loop.first and tools %}{% continue %}{% endif %}
{%- if m.role == 'assistant' %}
<|start|>assistant
{% set thought = m.reasoning_content or '' %}
{%- set said = m.content %}
{%- if '</think>' in said %}
{%- set thought = said.split('</think>')[0].split('<think>')[-1].strip() %}
{%- set said = said.split('</think>')[-1].lstrip() %}
{%- endif %}
{%- if loop.index0 > ns.last and (loop.last or thought) %}<think>
{{ thought }}
</think>

{% endif %}
{{- said }}
{%- for call in m.tool_calls or [] %}

call {"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
{%- endfor %}<|end|>
{% elif m.role == 'tool' %}
{%- if messages[loop.index0 - 1].role != 'tool' %}<|start|>user{% endif %}

result
{{ m.content }}
end
{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}<|end|>
{% endif %}
{%- else %}
<|start|>{{ m.role }}
{{ m.content }}<|end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}
<|start|>assistant
{% endif %}"""

# Headers, trimmed contents, one call at most, results under another role.
HEADERS = """\
{{- bos_token }}
{%- for m in messages %}
{%- if m.role not in ['system', 'user', 'assistant', 'tool'] %}{{ raise_exception('role') }}{% endif %}
{%- if m.tool_calls %}
{%- if m.tool_calls | length > 1 %}{{ raise_exception('one call at a time') }}{% endif %}
{%- set f = m.tool_calls[0].function %}
{{- '<|header|>assistant<|/header|>\\n\\n{"name": "' + f.name + '", "parameters": ' }}
{{- f.arguments | tojson }}
{{- '}<|end|>' }}
{%- elif m.role == 'tool' %}
{{- '<|header|>tools<|/header|>\\n\\n' + (m.content | tojson) + '<|end|>' }}
{%- else %}
{{- '<|header|>' + m.role + '<|/header|>\\n\\n' + m.content | trim + '<|end|>' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|header|>assistant<|/header|>\\n\\n' }}{% endif %}"""

# Strict turns, the system text folded into the first, no tools.
STRICT = """\
{{- bos_token }}
{%- if messages[0].role == 'system' %}
{%- set lead = messages[0].content + '\\n\\n' %}{% set said = messages[1:] %}
{%- else %}{% set lead = '' %}{% set said = messages %}{% endif %}
{%- for m in said %}
{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('turns must alternate') }}{% endif %}
{%- if m.role == 'user' %}
{{- '[U] ' + (lead if loop.first else '') + m.content + ' [/U]' }}
{%- elif m.role == 'assistant' %}{{ ' ' + m.content + eos_token }}
{%- else %}{{ raise_exception('no such role') }}{% endif %}
{%- endfor %}"""

TEMPLATES = {"chatml": CHATML, "thinker": THINKER, "headers": HEADERS, "strict": STRICT}
TOKENS = {"bos_token": "<|begin|>", "eos_token": "</s>"}


def save_model(directory, template=CHATML):
    """A model's directory as it is downloaded, with a tokeniser and its settings."""
    directory.mkdir(parents=True, exist_ok=True)
    small_bpe().save(str(directory / "tokenizer.json"))
    settings = {**TOKENS, "eos_token": {"content": "</s>"}, "chat_template": template}
    (directory / "tokenizer_config.json").write_text(json.dumps(settings))
    return directory
