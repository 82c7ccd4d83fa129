#!/bin/sh
# Renew the locked requirements from pyproject.toml. No index address is written.
set -eu
cd "$(dirname "$0")/.."
compile="uv pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --python-version 3.11 --universal"
PATH="$PWD/.venv/bin:$PATH"
# with the prices of models, which the demo shows
$compile pyproject.toml --group build --extra models -o requirements/run.txt
$compile pyproject.toml --group build --group test --group check -c requirements/run.txt -o requirements/test.txt
$compile pyproject.toml --group build --group bench -c requirements/run.txt -o requirements/bench.txt
# the wheel of claude-agent-sdk holds a program of 385 MB, its source is small
$compile pyproject.toml --group build --group oracles -c requirements/run.txt --no-binary claude-agent-sdk --emit-build-options -o requirements/oracles.txt
