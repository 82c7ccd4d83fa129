# Every target works from a bare checkout: it makes .venv and installs what it needs.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes

.PHONY: help demo test test-slow parity oracles check bench saved hostile truth regret bills pictures sweep damage lock clean
help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

.venv/run.done: requirements/run.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) -r requirements/run.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/test.done: requirements/test.txt .venv/run.done
	@$(PIP) -r requirements/test.txt
	@touch $@

.venv/bench.done: requirements/bench.txt
	@test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@mkdir -p .venv && touch $@

# What needs the frameworks whose own checks are oracles. Installed by uv: pip takes ten times as long.
ORACLES := .venv-oracles/bin/python
ORACLES_TESTS := tests/oracles tests/formats/test_langchain.py tests/formats/test_llama_index.py \
  tests/formats/test_pydantic_ai.py tests/formats/test_openai_agents.py tests/formats/test_mcp.py \
  tests/formats/test_gemini_objects.py tests/formats/test_round_trip.py tests/formats/test_growing.py \
  tests/formats/test_reasoning_removed.py tests/sessions/test_claude_reader.py tests/docs/test_formats_page.py

.venv-oracles/test.done: requirements/oracles.txt .venv/run.done
	@test -x $(ORACLES) || $(PYTHON) -m venv .venv-oracles
	@$(BIN)/uv pip install --quiet --python $(ORACLES) --require-hashes -r requirements/run.txt
	@$(BIN)/uv pip install --quiet --python $(ORACLES) --require-hashes --no-build-isolation -r requirements/oracles.txt
	@$(BIN)/uv pip install --quiet --python $(ORACLES) --no-deps --no-build-isolation -e .
	@touch $@

demo: .venv/run.done  ## fit a recorded agent conversation and show the picture (CORPUS=1: real ones)
	@$(BIN)/python examples/demo.py $(if $(CORPUS),--corpus)

test: .venv/test.done  ## run the tests
	@$(BIN)/python -m pytest -q -n 2 -m "not slow"

test-slow: .venv/test.done  ## run the long tests too
	@$(BIN)/python -m pytest -q -n 2

parity: .venv/test.done  ## both tokenizers agree: the corpus, every code point, 200,000 made-up texts
	@$(BIN)/python -m pytest -q -n 2 -m slow tests/tokens/test_fast.py

oracles: .venv-oracles/test.done  ## what big frameworks say, in an environment of their own (SLOW=1: 3,000 histories)
	@$(ORACLES) -m pytest -q -n 2 $(if $(SLOW),,-m "not slow") $(ORACLES_TESTS)

check: .venv/test.done  ## lint, types, import rules, coverage of the core
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check src tools
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest -q -n 2 -m "not slow" --cov --cov-report=term tests/core

bench: .venv/bench.done  ## compare with langchain, langmem and litellm; speed, threads, memory
	@.venv-bench/bin/python bench/core.py
	@.venv-bench/bin/python bench/compare.py
	@.venv-bench/bin/python bench/speed.py
	@.venv-bench/bin/python bench/memory.py
	@.venv-bench/bin/python bench/shelf.py
	@.venv-bench/bin/python bench/shrinking_cost.py
	@.venv-bench/bin/python bench/summaries.py

saved: .venv/test.done  ## what each way of shrinking saves on the corpus
	@$(BIN)/python bench/shrinking.py

hostile: .venv/test.done  ## tokenize what is made to hurt, 1 MB and 10 MB of each (half an hour)
	@$(BIN)/python bench/hostile.py

truth: .venv/test.done  ## how counts agree with recorded bills
	@$(BIN)/python bench/truth.py --aims
	@$(BIN)/python bench/truth.py --aims --anchored

regret: .venv/test.done  ## how near to the optimum the cuts are, and where law 9 cuts
	@$(BIN)/python bench/regret.py
	@$(BIN)/python bench/blind.py
	@$(BIN)/python bench/stability.py
	@$(BIN)/python bench/batched.py

bills: .venv/test.done  ## what was recorded as cached against the cache rules; the speed of a replay
	@$(BIN)/python bench/billing.py
	@$(BIN)/python bench/replay.py

pictures: .venv/test.done  ## take the screenshots in docs/pictures/ (needs chromium)
	@$(BIN)/python tools/screenshots.py

sweep: .venv-oracles/test.done  ## fit every conversation of the corpus at seven budgets
	@$(ORACLES) bench/sweep.py
	@$(ORACLES) bench/sessions.py

damage: .venv-oracles/test.done  ## 3,000 damaged histories a format: check, repair and the validators (10 minutes)
	@$(ORACLES) bench/damage.py

lock: .venv/test.done  ## renew the locked requirements
	@sh requirements/lock.sh

clean:  ## remove the environments
	rm -rf .venv .venv-bench .venv-oracles
