"""Where a provider's cache is to be marked, and request bodies with the marks set."""

from .marking import marked
from .places import Breakpoint, breakpoints

__all__ = ["Breakpoint", "breakpoints", "marked"]
