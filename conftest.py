"""What holds for every test, those in pages and docstrings too."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

_NUMBERS = count()


@pytest.fixture(scope="session")
def _stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stores")


@pytest.fixture(autouse=True)
def _a_default_store_of_its_own(_stores: Path) -> Iterator[None]:
    """No test writes to the home of whoever runs it, or reads what another test wrote."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRIMTAB_STORE", str(_stores / f"{next(_NUMBERS)}.db"))
        yield
