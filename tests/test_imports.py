"""What an import costs, counted in modules: no clock, so that a busy machine changes nothing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
OWN_NAMES = {"toktok-rs": "toktok"}  # where a module is called otherwise
EVERYTHING = """
from trimtab.archive import Archive
from trimtab.stores import MemoryStore, SQLiteStore, default_store
from trimtab.summary import Ask
Archive(), MemoryStore(), SQLiteStore("never-opened.db"), default_store()
trimtab.fit([{"role": "user", "content": "hi"}], 100)
"""


def extras():
    """The modules of the packages that only extras bring."""
    wanted = {line for lines in PROJECT["optional-dependencies"].values() for line in lines}
    names = {re.match(r"[\w-]+", line).group() for line in wanted}
    return {OWN_NAMES.get(name, name.replace("-", "_")) for name in names}


def imported(code):
    script = f"import sys; before = set(sys.modules)\n{code}\nprint(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_package_costs_little():
    """From an interpreter with nothing in it; 31 modules took 11 ms when this was written."""
    assert len(imported("import trimtab")) <= 40


@pytest.mark.parametrize("code", ["", EVERYTHING], ids=["import", "use"])
def test_no_extra_is_imported_before_it_is_asked_for(code):
    found = {name.partition(".")[0] for name in imported(f"import trimtab\n{code}")}
    # the fast engine is taken where it is installed
    assert found & (extras() - {"toktok"}) == set()
