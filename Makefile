# The main commands are `make run` and `make test`. `make help` lists the rest.
.DEFAULT_GOAL := help
.PHONY: help run test fast lint format bench prove image api sbom screenshots lock clean

RUN := scripts/with-python
BIN := .venv/bin
COMPILE := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --strip-extras \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
	--annotation-style=line

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: ## install what is missing and start everything (PORT=8000)
	@$(RUN) scripts/run.py

test: ## install what tests need, then lint, types and all tests
	@$(RUN) scripts/check.py

fast: ## unit tests only, with what is installed
	@$(BIN)/python -m pytest --numprocesses=2 tests/architecture tests/unit

lint: ## ruff, mypy, imports and the API's description, with what is installed
	@$(RUN) scripts/check.py --lint

format: ## correct what ruff can correct
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

bench: ## compare distances, ships and land with published figures
	@set -e; for name in distances land_truth hull foc; do \
		NUMBA_CACHE_DIR=var/numba $(BIN)/python -m benchmarks.$$name; done

prove: ## measure every claim and write docs/proof.html (QUICK=1: fewer cases)
	@$(RUN) scripts/prove.py $(if $(QUICK),--quick)

image: ## build the image and test it read-only as an arbitrary user (needs root)
	@$(RUN) scripts/check_image.py

api: ## write the API's description to docs/api/openapi.json
	@DATABASE_URL=postgresql://none REDIS_URL=redis://none \
		$(BIN)/flask --app wsgi openapi write docs/api/openapi.json

sbom: ## write the software bill of materials to var/sbom
	@$(BIN)/python scripts/sbom.py

screenshots: ## take screenshots of every page by day and night into var/img
	@PYTHONPATH=$(CURDIR) $(BIN)/python scripts/screenshots.py

lock: ## update the pinned packages from pyproject.toml and package.json
	@$(COMPILE) --generate-hashes --output-file requirements.txt pyproject.toml
	@$(COMPILE) --extra dev --extra s3 --extra tracing --output-file requirements-dev.txt pyproject.toml
	@$(COMPILE) --extra s3 --output-file requirements-s3.txt pyproject.toml
	@$(COMPILE) --output-file requirements-moto.txt requirements-moto.in
	@$(COMPILE) --extra tracing --output-file requirements-tracing.txt pyproject.toml
	@npm install --package-lock-only

clean: ## remove everything installed, built or stored here, voyages too (end `make run` first)
	@$(RUN) scripts/local_services.py remove --dir var
	@$(RUN) scripts/local_services.py remove --dir var/test
	@rm -rf .venv node_modules static/vendor var
