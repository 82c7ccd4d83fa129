"""Trimtab: fit an LLM conversation into a token budget."""
