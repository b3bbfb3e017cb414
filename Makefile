# Thin on purpose: every target is one or two lines. `make help` lists them.
# Distributions compile their Python for speed; one of pyenv's took 1.2 to 1.7 times as long for the same.
SYSTEM_PYTHON := /usr/bin/python3
PYTHON ?= $(shell $(SYSTEM_PYTHON) -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(SYSTEM_PYTHON) || echo python3)
BIN := .venv/bin
# Images of Python like to set it; then each of the many processes here compiles every module again, for 1.5 s.
unexport PYTHONDONTWRITEBYTECODE
WITH_SERVICES := $(BIN)/python -m flashdb.local_services --temporary --

.PHONY: help run test lint fmt advice bench bench-server bench-mirror bench-truth chaos replica attack bench-abuse mutants compare size bench-judgement ablation bench-attacks bench-load bench-client corpus fuzz fuzz-api audit engine migrations-check setup
.DEFAULT_GOAL := help

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: setup engine  ## set everything up, start the site with a worker, measure and submit a simulated card
	@$(BIN)/python -m flashdb.run_site

# Three, on two processors: while one waits for a server or a browser, another works (402 s with two, 358 with three).
test: setup engine  ## every test, beside its own PostgreSQL and Redis; ARGS="-k name" chooses
	@TMPDIR=$$($(PYTHON) tests/temporary_folder.py) $(WITH_SERVICES) $(BIN)/pytest -n 3 --dist worksteal $(ARGS)

lint: setup migrations-check audit  ## ruff, mypy, language, templates, workflows, images, lock file, migrations, known vulnerabilities
	@$(BIN)/ruff check --output-format concise . && $(BIN)/ruff format --check .
	@DATABASE_URL=postgresql:///types $(BIN)/mypy flashdb submissions api client/cardbench tests
	@$(BIN)/python -m tests.language
	@$(BIN)/zizmor --quiet --offline .github && $(BIN)/hadolint Dockerfile client/integrations/home-assistant/addon/Dockerfile
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	@$(BIN)/djlint --quiet --check --lint templates && $(PYTHON) flashdb/bootstrap.py uv lock --check --quiet

audit: setup  ## known vulnerabilities in the packages of uv.lock; AUDIT=offline skips it
	@[ "$(AUDIT)" = offline ] || UV_PREVIEW_FEATURES=audit-command $(PYTHON) flashdb/bootstrap.py uv audit --frozen

fmt: setup  ## rewrite Python and templates in the house style
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format . && $(BIN)/djlint --quiet --reformat templates

bench: setup engine  ## cost of a read in the engine, submissions per second, latency of the finder; FLASHBENCH=PATH compares it
	@PYTHONPATH=client $(WITH_SERVICES) $(BIN)/python -m tests.bench

bench-server: setup  ## reports and answers per second beside the bare servers; RUNS= sizes, PEER_URL= another system
	@$(BIN)/python -m flashdb.local_services --temporary --durable -- $(BIN)/python -m tests.bench server stored

chaos: setup  ## kill parts of a live site under load, ROUNDS=100 times, with CLIENTS=2; SEED repeats a run
	@PYTHONPATH=client $(BIN)/python -m tests.chaos

replica: setup  ## promote a replica while reports come in, SECONDS=10 before and after; ASYNCHRONOUS=1 counts the lost; SEED repeats a run
	@PYTHONPATH=client $(BIN)/python -m tests.replica

attack: setup  ## slow senders, heavy pages and 8 MB texts at once for SECONDS=30 on a live site of its own: tried, got through
	@$(WITH_SERVICES) $(BIN)/python -m tests.attack

bench-mirror: setup  ## seconds until a mirror of 20,000 models is open in Chromium, from a plain web server and from a folder
	@$(WITH_SERVICES) $(BIN)/python -m tests.bench mirror

bench-abuse: setup  ## milliseconds of processor that one expensive request costs, at RUNS="20000 200000"
	@$(BIN)/python -m flashdb.local_services --temporary --durable -- $(BIN)/python -m tests.bench abuse

mutants: setup engine  ## small changes in the code, and how many of them the tests notice; ROOM=writing SAMPLE=60 (0: all) SEED=1 BUDGET=60 seconds each
	@OMP_NUM_THREADS=1 $(WITH_SERVICES) $(BIN)/python -m tests.mutants

compare: setup  ## differences of pages, answers and estimates from another commit, with the starter data; WITH=COMMIT
	@$(BIN)/python -m tests.compare $(WITH)

fuzz-api: setup  ## fuzz the running API by its contract; EXAMPLES=100 per operation takes long
	@EXAMPLES=$(or $(EXAMPLES),15) $(WITH_SERVICES) $(BIN)/pytest -q tests/security/test_contract.py

size: setup  ## tokens, statements and lines of each package; WITH=COMMIT compares
	@WITH=$(WITH) $(BIN)/python -m tests.size

corpus: setup  ## how much is understood of every log in tests/logs; CORPUS=DIRECTORY chooses another folder
	@$(BIN)/python -m tests.corpus

bench-load: setup  ## reports worked out and ranked per second, with 0, 20000 and 100000 stored (STORED), of MODELS=200 models of popularity 1/rank
	@LOG_LEVEL=WARNING OMP_NUM_THREADS=1 $(BIN)/python -m flashdb.local_services --temporary --durable -- $(BIN)/python -m tests.bench.load

fuzz: setup  ## damaged logs through every parser for MINUTES (1): none may break it
	@$(BIN)/python -m tests.fuzz

bench-client: setup  ## how often client and server find a card's geometry, beside flashbench on the same simulated cards; SEED=N takes others
	@PYTHONPATH=client $(BIN)/python -m tests.bench geometry inference

bench-judgement: setup  ## accuracy, honesty and cost of the judgement on simulated crowds with a known truth
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.bench.crowds
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.bench.variation

ablation: setup  ## accuracy on simulated crowds and on the starter data with each part of the estimation switched off
	@LOG_LEVEL=ERROR OMP_NUM_THREADS=1 $(WITH_SERVICES) $(BIN)/python -m tests.bench.ablation

bench-truth: setup  ## the published order and intervals against the sources themselves, each also left out, on the starter data
	@LOG_LEVEL=ERROR OMP_NUM_THREADS=1 $(WITH_SERVICES) $(BIN)/python -m tests.bench truth

advice: setup  ## the first answer for every device and use, on the starter data, and what is wrong with it
	@LOG_LEVEL=ERROR OMP_NUM_THREADS=1 $(WITH_SERVICES) $(BIN)/python -m tests.bench advice

bench-attacks: setup  ## fake reports against a small honest crowd: how far they move models; honest newcomers and bursts; SEED=1 MODELS=150
	@DATABASE_URL=postgresql:///none REDIS_URL=redis://localhost/0 OMP_NUM_THREADS=1 $(BIN)/python -m tests.bench.attacks

.PHONY: messages
messages: setup  ## collect the text of pages into submissions/locale and compile it; wants Debian's gettext
	@$(WITH_SERVICES) sh -c '$(BIN)/python manage.py makemessages --all --no-wrap --no-location --no-obsolete --ignore "tests/*" --ignore "client/*" -v0 && $(BIN)/python manage.py compilemessages --ignore .venv -v0'

.PHONY: screenshots
screenshots: setup  ## every page as a picture into screenshots/, light, dark and printed, on a phone and on a desk; small ones into templates/
	@$(WITH_SERVICES) $(BIN)/python -m tests.screenshots screenshots

.PHONY: release-check
release-check:  ## fail if a file, or TAG=v1.2.3, names another version than the newest of CHANGELOG.md
	@TAG=$(TAG) python3 -m tests.release

.PHONY: release
release:  ## static engines, each tried, and cardbench.pyz into client/dist; KEY=FILE signs them; wants Debian's cross compilers and qemu-user
	@$(MAKE) --silent --no-print-directory -C client/engine release
	@KEY=$(abspath $(KEY)) sh client/release.sh

.PHONY: deb
deb:  ## a Debian package of the client into DEB=client/dist, checked by lintian; wants the packages that it names
	@sh client/debian/build.sh $(or $(DEB),client/dist)

.PHONY: wheels
wheels:  ## sources and wheels of the client for the Python Package Index into WHEELS=client/dist, checked by twine; wants the network
	@sh client/wheels.sh $(or $(WHEELS),client/dist)

engine:  ## build the C engine
	@$(MAKE) --silent --no-print-directory -C client/engine

migrations-check: setup  ## fail when a model change lacks its migration, or old code could not live with one
	@LOG_LEVEL=WARNING $(WITH_SERVICES) sh -c '$(BIN)/python manage.py makemigrations --check --dry-run && $(BIN)/python -m tests.migration_linter'

setup:  # .venv from uv.lock; does nothing when it is current
	@$(PYTHON) flashdb/bootstrap.py
