"""What tests and benchmarks need of Debian: PostgreSQL and Redis on loopback, a browser.

    python tools/services.py install         what is missing of them: apt-get, as root or by sudo
    python tools/services.py run COMMAND...  with TRIMTAB_POSTGRES and TRIMTAB_REDIS set

A server has a free port, a password and a folder. Both go when the caller ends, however it
ends. Needs nothing but Python.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
PATIENCE = 60  # seconds for a server to start
CLUSTERS = Path("/etc/postgresql-common/createcluster.conf")
FAST = ("-c", "recovery_init_sync_method=syncfs")  # after a kill: not file by file
GUARD = """
cat
if pid=$(cat pid); then
  kill -INT "$pid"
  for tenth in $(seq 50); do kill -0 "$pid" || break; sleep 0.1; done
fi
cd /; rm -rf -- "$0"
"""  # reads until its caller closes the pipe, or dies and so closes it
PACKAGES = {
    "postgres": ["postgresql"],
    "redis-server": ["redis-server"],
    "chromium": ["chromium", "fonts-dejavu-core"],  # without a font a page has no glyphs
}


def program(name: str) -> str | None:
    """The path of a program; Debian keeps PostgreSQL's out of the way, newest last."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name))
    for place in reversed(places):
        if (place / name).exists():
            return str(place / name)
    return shutil.which(name)


def absent(*programs: str) -> str | None:
    """Why the servers cannot be started, None where they can."""
    missing = [name for name in programs if program(name) is None]
    return f"{', '.join(missing)} not installed" if missing else None


class Server:
    """A process that can be killed and started again over the same data."""

    def __init__(self, command: Sequence[str], folder: Path, ready: Callable[[], bool]) -> None:
        self.url = ""
        self._command = command
        self._folder = folder
        self._ready = ready
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, cwd=self._folder, **_unprivileged()
            )
        (self._folder / "pid").write_text(f"{self._process.pid}\n")
        end = time.monotonic() + PATIENCE
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() > end:
                self.kill()
                text = (self._folder / "log").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"{self._command[0]} did not start:\n{text}")
            time.sleep(0.02)

    def stop(self) -> None:
        self._end(signal.SIGINT)  # a fast shutdown in PostgreSQL

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None
            (self._folder / "pid").unlink()


@contextmanager
def postgres() -> Iterator[Server]:
    """A PostgreSQL server; ``url`` has the password."""
    with _folder() as folder:
        password, port, data = secrets.token_hex(8), _free_port(), folder / "data"
        (folder / "password").write_text(password)
        _give(folder)
        made = [program("initdb"), "-D", data, "-U", "trimtab", "-A", "scram-sha-256"]
        made += [f"--pwfile={folder / 'password'}", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, cwd=folder, **_unprivileged())
        asked = [program("pg_isready"), "-q", "-h", HOST, "-p", str(port)]
        command = [program("postgres") or "", "-D", str(data), *FAST]
        command += ["-h", HOST, "-p", str(port), "-k", ""]
        ready = lambda: subprocess.run(asked, check=False).returncode == 0  # noqa: E731
        server = Server(command, folder, ready)
        server.url = f"postgresql://trimtab:{password}@{HOST}:{port}/postgres"
        with _running(server):
            yield server


@contextmanager
def redis() -> Iterator[Server]:
    """A Redis server that writes each command to disk; ``url`` has the password."""
    with _folder() as folder:
        password, port = secrets.token_hex(8), _free_port()
        lines = [f"bind {HOST}", f"port {port}", f"requirepass {password}", f"dir {folder}"]
        lines += ["save ''", "appendonly yes", "appendfsync always"]
        (folder / "redis.conf").write_text("\n".join(lines) + "\n")
        _give(folder)
        command = [program("redis-server") or "", str(folder / "redis.conf")]
        server = Server(command, folder, lambda: _answers(port, password))
        server.url = f"redis://:{password}@{HOST}:{port}/0"
        with _running(server):
            yield server


@contextmanager
def _running(server: Server) -> Iterator[None]:
    try:
        server.start()
        yield
    finally:
        server.stop()


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="trimtab-"))
    guard = subprocess.Popen(
        ["sh", "-c", GUARD, folder],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a ctrl-c is not for it
    )
    try:
        yield folder
    finally:
        guard.communicate()


def _unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to be run by root; Debian's package makes a user for it."""
    if os.getuid() != 0:
        return {}
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if _user() else {}


def _user() -> pwd.struct_passwd | None:
    with suppress(KeyError):
        return pwd.getpwnam("postgres")
    return None


def _give(folder: Path) -> None:
    if os.getuid() == 0 and (user := _user()):
        for path in (folder, *folder.iterdir()):
            os.chown(path, user.pw_uid, user.pw_gid)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        return taken.getsockname()[1]


def _answers(port: int, password: str) -> bool:
    with suppress(OSError), socket.create_connection((HOST, port), 1) as connection:
        connection.sendall(f"AUTH {password}\r\nPING\r\n".encode())
        said = b""
        while said.count(b"\n") < 2 and (more := connection.recv(100)):
            said += more
        return b"+PONG" in said
    return False


def install() -> None:
    """With apt-get, what is not there; the cluster that Debian would start is not wanted."""
    missing = [packages for name, packages in PACKAGES.items() if program(name) is None]
    wanted = [package for packages in missing for package in packages]
    if not wanted:
        return
    if shutil.which("apt-get") is None:
        sys.exit(f"There is no apt-get here; the tests want {', '.join(wanted)}.")
    if os.getuid() != 0:
        if (sudo := shutil.which("sudo")) is None:
            sys.exit(f"As root: apt-get install {' '.join(wanted)}")
        os.execv(sudo, [sudo, sys.executable, __file__, "install"])
    if "postgresql" in wanted and not CLUSTERS.exists():
        CLUSTERS.parent.mkdir(exist_ok=True)
        CLUSTERS.write_text("create_main_cluster = false\n")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    options = ["-q", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold"]
    subprocess.run(["apt-get", "-q", "update"], check=True, env=quiet)
    subprocess.run(["apt-get", "install", *options, *wanted], check=True, env=quiet)


def main(arguments: list[str]) -> int:
    match arguments:
        case ["install"]:
            install()
            return 0
        case ["run", *command] if command:
            if reason := absent("postgres", "initdb", "pg_isready", "redis-server"):
                sys.exit(f"{reason}: python tools/services.py install")
            with postgres() as first, redis() as second:
                urls = {"TRIMTAB_POSTGRES": first.url, "TRIMTAB_REDIS": second.url}
                return subprocess.run(command, check=False, env={**os.environ, **urls}).returncode
        case _:
            print(__doc__)
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
