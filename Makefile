# Every target does the set-up that it needs. `make help` lists them.

PY    := .venv/bin/python
RACK  := .venv/bin/rack
STAMP := .venv/.made-from-lock
JOBS  ?= 2
BROKERS ?= 1
CODE  := analytics benchmarks dashboards deploy desk discard_rack events floor games intake rack replay rulebook scripts suite tests trial website whatif

.DEFAULT_GOAL := help
.PHONY: help venv demo live site rounds dashboard dashboard-login test test-fast test-all test-nightly lint check pictures coverage mutants faults survey fuzz soak calibrate honest bench kafka kafka-stop lock sbom release kit audit clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): requirements.lock pyproject.toml scripts/venv.sh
	@echo "setting up .venv (once) …"
	@PYTHON="$(PYTHON)" scripts/venv.sh
	@touch $@

venv: $(STAMP)  ## make .venv as requirements.lock says

demo: $(STAMP)  ## simulate a gaming day with planted faults, replay it, compare; the result goes to demo/
	@$(RACK) demo

live: $(STAMP)  ## run a whole property here: gateway, replay, pages and a floor that plays by the clock (ARGS="--speed N")
	@$(RACK) live $(ARGS)

dashboard: $(STAMP)  ## open the pages on the result of `make demo`, to look at
	@$(RACK) dashboard

dashboard-login: $(STAMP)  ## the same with a login to try, people of each role; then findings can be worked
	@$(PY) -m trial.live.trial_sign_in

site: $(STAMP)  ## build the website: the judge in a browser (a folder and one file; needs npm) and the documents, links checked (build/website)
	@$(PY) -m website.build $(ARGS)
	@$(PY) -m website.documents

rounds: $(STAMP)  ## make the open suite from the golden rounds (build/rounds), and run the judge against it
	@$(PY) -m suite.export
	@$(PY) build/rounds/rounds.py run -- $(PY) -m suite.engine

pictures: demo  ## make the pictures of docs/tour.md anew from the demo (ARGS="--only hold rules")
	@$(PY) -m scripts.screenshots --out demo $(ARGS)

# Compiled modules are kept, whatever the shell says: each `rack` that a test starts would compile them again.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(PY) -m pytest

# What needs a broker or a browser, plays whole days, or tries one thing many times: `make test-all` has it, and so has .ci/run.
# What is tried whole is only in `make test-nightly`.
LONG := kafka or browser or days or slow or nightly

test: $(STAMP)  ## run the tests that need nothing but Python and do not take long
	@$(PYTEST) -n $(JOBS) --dist loadgroup -m "not ($(LONG))" $(ARGS)

# Who has the broker waits much: a third worker has two cores busy. The longest come first (tests/conftest.py).
test-all: $(STAMP)  ## the same with a real broker and a real browser, and what takes longer: about a quarter of an hour on two cores
	@$(PYTEST) -n $$(($(JOBS) + 1)) --dist loadgroup --no-loadscope-reorder -m "not nightly" $(ARGS)

test-nightly: $(STAMP)  ## what takes longest, the cases of which each run takes a part, and builds that are broken on purpose
	@$(PYTEST) -n $(JOBS) --dist loadgroup -m nightly $(ARGS)
	@$(PYTEST) -n $(JOBS) --dist loadgroup -m "hypothesis and not (kafka or browser)" --hypothesis-profile=nightly $(ARGS)

# What decides a verdict, the vocabulary and the house rules.
FAST := tests/architecture tests/events/vocabulary tests/games tests/golden tests/replay/fold tests/replay/rules tests/rulebook

test-fast: $(STAMP)  ## golden rounds, tests of the rules and house rules
	@$(PYTEST) -q -n $(JOBS) --dist loadgroup -m "not ($(LONG) or kernels)" $(FAST) $(ARGS)

lint: $(STAMP)  ## format, lint, spelling, types
	@$(PY) -m ruff format --check $(wildcard $(CODE))
	@$(PY) -m ruff check $(wildcard $(CODE))
	@$(PY) -m codespell_lib $(wildcard $(CODE)) docs $(wildcard *.md)
	@$(PY) -m mypy

check: lint test-all  ## everything that is checked before a change lands

COVERED := --cov=events --cov=games --cov=replay --cov=rulebook --cov-branch

coverage: $(STAMP)  ## branch coverage of events, games and replay; fails under 95 %
	@$(PYTEST) -n $(JOBS) --dist loadgroup -m "not browser" $(COVERED) \
		--cov-report=term-missing:skip-covered --cov-fail-under=95 $(ARGS)

mutants: $(STAMP)  ## seed defects into games and replay; the golden rounds must kill each
	@$(PY) -m tests.mutants

faults: $(STAMP)  ## break everything on purpose, many times; prints the table, writes it to build/reliability.md and its summary to docs/reliability.md
	@$(PY) -m tests.faults $(ARGS)

survey: $(STAMP)  ## edit every field of every event of honest rounds; prints what goes unnoticed and writes build/survey.md and its summary, docs/survey.md (ARGS="--games G --jobs N")
	@$(PY) -m tests.evidence --jobs $(JOBS) $(ARGS)

fuzz: $(STAMP)  ## search every reader for input that breaks it, guided by coverage (ARGS="--seconds N --only TARGET")
	@$(PY) -m tests.fuzz $(ARGS)

soak: $(STAMP)  ## simulate the pipeline under faults for thousands of seeds (ARGS="--first N --seeds M")
	@$(PY) -m tests.simulation --jobs $(JOBS) $(ARGS)
	@$(PY) -m tests.simulation --jobs $(JOBS) --kafka $(ARGS)

calibrate: $(STAMP)  ## play half a million honest rounds of every game, hold each wager against rack theory; writes build/calibration.md and its summary, docs/calibration.md
	@$(PY) -m tests.calibration --jobs $(JOBS) $(ARGS)

honest: $(STAMP)  ## replay honest floors of every game at 50 seeds; nothing may be found (ARGS="--seeds N --rounds N --games G")
	@$(PY) -m tests.calibration.replaying --jobs $(JOBS) $(ARGS)

bench: $(STAMP)  ## measure everything, part by part, about an hour; writes docs/benchmarks.md (ARGS="--only PART …")
	@$(PY) -m benchmarks $(ARGS)

kafka: $(STAMP)  ## start a real Apache Kafka broker on 127.0.0.1, in .kafka/ (BROKERS=3: a cluster of three nodes)
	@$(RACK) kafka start --brokers $(BROKERS)

kafka-stop: $(STAMP)  ## stop that broker, or those nodes, and nothing else
	@$(RACK) kafka stop

lock: $(STAMP)  ## renew requirements.lock from pyproject.toml, and the dates of its releases
	@$(PY) -m scripts.lock $(ARGS)

sbom: $(STAMP)  ## write build/sbom.json: every distribution of .venv with version, license and what needs it (CycloneDX)
	@mkdir -p build
	@$(PY) -m cyclonedx_py environment .venv/bin/python --pyproject pyproject.toml --mc-type application \
		--output-reproducible --of JSON --output-file build/sbom.json

release: $(STAMP) sbom  ## build wheel and source archive twice, compare and check them; nothing is uploaded (dist/, build/sbom.json)
	@$(PY) -m scripts.release

kit: $(STAMP) sbom  ## write build/approval-kit.html, to print: what a laboratory needs to approve this version, and how to repeat its tests
	@$(PY) -m scripts.approval_kit

audit: $(STAMP)  ## look for published faults and old releases in requirements.lock; exit 3 where the index's data cannot be had
	@$(PY) -m scripts.audit

clean:  ## remove what the tools leave behind (neither .venv nor demo/ nor .kafka/)
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov build *.egg-info
	@find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
