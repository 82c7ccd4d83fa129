"""Real servers, started when a test first asks for one, and an empty place in each."""

from __future__ import annotations

import os
from importlib.util import find_spec
from itertools import count

import pytest
from stores.kinds import KINDS, SHARED, Place, services

SERVICES = services()
PROGRAMS = {"postgres": ("postgres", "initdb", "pg_isready"), "redis": ("redis-server",)}
DRIVERS = {"postgres": ("psycopg", "psycopg_pool"), "redis": ("redis",)}
REQUIRED = {"CI", "TRIMTAB_NEEDS_SERVERS"}  # with one of them set nothing is skipped
NUMBERS = count()


@pytest.fixture(scope="session")
def postgres_server():
    yield from _server("postgres", SERVICES.postgres)


@pytest.fixture(scope="session")
def redis_server():
    yield from _server("redis", SERVICES.redis)


def _server(kind, started):
    reason = SERVICES.absent(*PROGRAMS[kind])
    for module in DRIVERS[kind]:
        if find_spec(module) is None:
            reason = f"{module} not installed"
    if reason and REQUIRED & os.environ.keys():
        pytest.fail(f"{reason}: python tools/services.py install", pytrace=False)
    if reason:
        pytest.skip(f"{reason}: python tools/services.py install")
    with started() as server:
        yield server


@pytest.fixture
def place_of(request, tmp_path):
    """An empty place of a kind."""

    def make(kind) -> Place:
        name = f"test{next(NUMBERS)}"
        match kind:
            case "sqlite":
                return Place(kind, str(tmp_path / f"{name}.db"))
            case "postgres":
                return Place(kind, schema(request.getfixturevalue("postgres_server").url, name))
            case "redis":
                return Place(kind, request.getfixturevalue("redis_server").url, name)
        return Place(kind)

    return make


def schema(url, name) -> str:
    """As a role of its own, whose tables are in its own schema."""
    import psycopg
    from psycopg.sql import SQL, Identifier

    with psycopg.connect(url, autocommit=True) as connection:
        role = Identifier(name)
        connection.execute(SQL("CREATE ROLE {} LOGIN PASSWORD 'pw-of-{}'").format(role, SQL(name)))
        connection.execute(SQL("CREATE SCHEMA {} AUTHORIZATION {}").format(role, role))
    return f"postgresql://{name}:pw-of-{name}@{url.split('@')[1]}"


@pytest.fixture(params=KINDS)
def place(request, place_of):
    return place_of(request.param)


@pytest.fixture(params=SHARED)
def shared_place(request, place_of):
    return place_of(request.param)
