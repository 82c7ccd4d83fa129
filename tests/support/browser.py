"""Headless Chromium for pages: Debian's, without the network."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

import pytest

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


def missing() -> str | None:
    """Why there is no browser, None where there is one."""
    if shutil.which("chromium") is None:
        return "chromium is not installed: python tools/services.py install"
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return None


@contextmanager
def chromium():
    """A browser; skips where there is none, unless TRIMTAB_NEEDS_BROWSER says that it must be."""
    if reason := missing():
        if {"CI", "TRIMTAB_NEEDS_BROWSER"} & set(os.environ):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as made:
        browser = made.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened(browser, path, scheme="light"):
    """A page from a file; asserts that it asked for nothing else and that no script failed."""
    asked, failed = [], []
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1100, "height": 900})
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: failed.append(dialog.message))
    page.goto(path.as_uri())
    yield page
    assert asked == [path.as_uri()]
    assert failed == []
    context.close()


def objections(page):
    """What axe-core has against a page, for readers with a screen reader or a keyboard."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found]
