# Thin on purpose: every target is one or two lines. `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
# Images of Python like to set it; then each of the many processes here compiles every module anew, for 1.5 s.
unexport PYTHONDONTWRITEBYTECODE
WITH_SERVICES := $(BIN)/python -m flashdb.local_services --temporary --

.PHONY: help run test lint fmt bench bench-server chaos mutants compare bench-judgement bench-load bench-client corpus fuzz fuzz-api audit engine migrations-check setup
.DEFAULT_GOAL := help

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: setup engine  ## set everything up, start the site with a worker, measure and submit a simulated card
	@$(BIN)/python -m flashdb.run_site

test: setup engine  ## every test, beside its own PostgreSQL and Redis; ARGS="-k name" chooses
	@$(WITH_SERVICES) $(BIN)/pytest -n 2 --dist worksteal $(ARGS)

lint: setup migrations-check audit  ## ruff, mypy, templates, lock file, migrations, known vulnerabilities
	@$(BIN)/ruff check --output-format concise . && $(BIN)/ruff format --check .
	@DATABASE_URL=postgresql:///types $(BIN)/mypy flashdb submissions api client/cardbench tests
	@$(BIN)/djlint --quiet --check --lint templates && $(PYTHON) flashdb/bootstrap.py uv lock --check --quiet

audit: setup  ## known vulnerabilities in the packages of uv.lock; skipped with a word when offline
	@$(BIN)/python -m flashdb.dependency_audit

fmt: setup  ## rewrite Python and templates in the house style
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format . && $(BIN)/djlint --quiet --reformat templates

bench: setup engine  ## cost of a read in the engine, submissions per second, latency of the finder; FLASHBENCH=PATH compares it
	@PYTHONPATH=client $(WITH_SERVICES) $(BIN)/python -m tests.bench

bench-server: setup  ## what the server takes, works out and answers beside bare floors; RUNS= sizes, PEER_URL= another system
	@$(BIN)/python -m flashdb.local_services --temporary --durable -- $(BIN)/python -m tests.bench server stored

chaos: setup  ## kill parts of a live site under load, ROUNDS=100 times; SEED repeats a run
	@PYTHONPATH=client $(BIN)/python -m tests.chaos

mutants: setup engine  ## small changes in the code, and how many of them the tests notice; ROOM=writing SAMPLE=60 (0: all) SEED=1
	@OMP_NUM_THREADS=1 $(WITH_SERVICES) $(BIN)/python -m tests.mutants

compare: setup  ## what of pages, answers and scores differs from another commit, with the starter data; WITH=COMMIT
	@$(BIN)/python -m tests.compare $(WITH)

fuzz-api: setup  ## what the running API does with anything that may be sent; EXAMPLES=100 per operation takes long
	@EXAMPLES=$(or $(EXAMPLES),15) $(WITH_SERVICES) $(BIN)/pytest -q tests/security/test_contract.py

corpus: setup  ## what is understood of every log in tests/logs; CORPUS=DIRECTORY chooses another folder
	@$(BIN)/python -m tests.corpus

bench-load: setup  ## RUNS=200000 reports loaded, worked out, fitted and ranked in PostgreSQL, then one more at a time
	@DEBUG=False SECRET_KEY=only-for-measuring IDENTITY_SECRET=another-for-measuring ALLOWED_HOSTS='*' LOG_LEVEL=WARNING OMP_NUM_THREADS=1 $(WITH_SERVICES) $(BIN)/python -m tests.bench.load

fuzz: setup  ## damaged logs through every parser for MINUTES (1): none may break it
	@$(BIN)/python -m tests.fuzz

bench-client: setup  ## how often client and server find a card's geometry, beside flashbench on the same simulated cards; SEED=N takes others
	@PYTHONPATH=client $(BIN)/python -m tests.bench geometry inference

bench-judgement: setup  ## accuracy, honesty and cost of the judgement on simulated crowds with a known truth
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.bench.judgement

.PHONY: screenshots
screenshots: setup  ## every page as a picture into screenshots/, light and dark, on a phone and on a desk
	@$(WITH_SERVICES) $(BIN)/python -m tests.screenshots screenshots

.PHONY: release
release:  ## static engines for x86-64, arm64 and armhf, each tried; wants Debian's cross compilers and qemu-user
	@$(MAKE) --silent --no-print-directory -C client/engine release

.PHONY: release-check
release-check: setup  ## refuse a version that CHANGELOG.md does not name, uncommitted changes, a lock out of date
	@$(BIN)/python -m flashdb.release_check

engine:  ## build the C engine
	@$(MAKE) --silent --no-print-directory -C client/engine

migrations-check: setup  ## fail when a model change lacks its migration, or old code could not live with one
	@LOG_LEVEL=WARNING $(WITH_SERVICES) sh -c '$(BIN)/python manage.py makemigrations --check --dry-run && $(BIN)/python -m flashdb.migration_linter'

setup:  # .venv from uv.lock; does nothing when it is current
	@$(PYTHON) flashdb/bootstrap.py
