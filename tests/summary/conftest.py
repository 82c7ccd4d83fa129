import pytest
from stores.conftest import (  # noqa: F401 - fixtures
    place_of,
    postgres_server,
    redis_server,
    shared_place,
)
from summary.server import serving


@pytest.fixture
def server():
    with serving() as running:
        yield running
