"""What the pages that commands write have in common: one file, no network, every text escaped.

A page is a template beside the code that fills it. It begins with
``{% extends "base.html" %}`` and fills the blocks ``title``, ``style``, ``main`` and
``script``; `render` gives it its environment.
"""

from .rendering import MARK, render

__all__ = ["MARK", "render"]
