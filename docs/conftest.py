"""Pages whose examples are run elsewhere: one test a section, since some need a framework."""  # noqa: INP001

collect_ignore = ["formats.md"]  # tests/docs/test_formats_page.py
