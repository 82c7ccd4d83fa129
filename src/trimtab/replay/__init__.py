"""What every policy would have cost on a real conversation, request by request."""

from .reporting import Report, replay
from .story import Story

__all__ = ["Report", "Story", "replay"]
