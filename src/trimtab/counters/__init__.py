"""Counters beyond OpenAI's encodings: open-weight models and providers' count endpoints.

Each is a function that returns what `trimtab.fit` takes as ``counter``. Nothing heavy is
imported before one of them is called.
"""

from .endpoints.anthropic import anthropic_endpoint
from .endpoints.gemini import gemini_endpoint
from .endpoints.openai import openai_endpoint
from .hugging_face import huggingface
from .mistral_common import mistral

__all__ = [
    "anthropic_endpoint",
    "gemini_endpoint",
    "huggingface",
    "mistral",
    "openai_endpoint",
]
