# Every way to build, check, run and install Macrolog. `make` alone lists them.

PREFIX ?= /usr/local
DESTDIR ?=
HOURS ?= 1
SECONDS ?= 20

# Release programs carry the Swift runtime where the toolchain has it as archives, so that an
# installed one needs no Swift. One set of flags for all of them, so that nothing is compiled twice;
# `swift run` does not know the flag, hence build and call.
static = $(shell .ci/static)
release = -c release $(static)
programs = .build/release

# What `install` puts in place, and `uninstall` takes away.
bin = $(DESTDIR)$(PREFIX)/bin
man = $(DESTDIR)$(PREFIX)/share/man/man1
bash = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zsh = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fish = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
both = macrolog sync-server

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help packages build demo test bench bench-peers replay soak fuzz planted coverage docs deb container install uninstall \
	format clean

help: ## List these targets
	@awk -F ' *## *' '/^[a-z-]+:.*## / { sub(/:.*/, "", $$1); printf "  make %-12s %s\n", $$1, $$2 }' \
		$(firstword $(MAKEFILE_LIST))

packages: ## Install the Debian packages that are missing; check the version of Swift
	@.ci/packages

build: packages ## Build macrolog and sync-server, optimised, into .build/release
	swift build $(release) --product macrolog
	swift build $(release) --product sync-server

demo: build ## Watch a phone and a laptop disagree offline, meet a real server, and end up equal
	swift build $(release) --product demo
	@$(programs)/demo

test: ## Everything a change must pass: format, imports, purity, warnings, tests
	@.ci/packages faketime libpango1.0-dev libzbar-dev libleptonica-dev tesseract-ocr libtesseract-dev unicode-data python3-venv nodejs wasi-libc libclang-rt-dev-wasm32 valgrind
	@.ci/servers proxies postgresql pgbouncer
	@.ci/test

bench: build ## Measure the workloads beside the bare library, and what has become slower
	swift build $(release) --product benchmarks
	@$(programs)/benchmarks $(addprefix --baseline=,$(wildcard Sources/Workshop/Benchmarks/Records/baseline.json))

# Its figures are Python's, too: a row says what was spent inside the library.
peers = .build/peers
bench-peers: build ## Measure Yjs and Loro beside our own rows of the same workloads
	@.ci/packages python3-venv
	@cmp -s Sources/Workshop/Benchmarks/Peers/requirements.txt $(peers)/installed.txt || { \
		rm -rf $(peers) && python3 -m venv $(peers) && \
		$(peers)/bin/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: \
			-r Sources/Workshop/Benchmarks/Peers/requirements.txt && \
		cp Sources/Workshop/Benchmarks/Peers/requirements.txt $(peers)/installed.txt; }
	swift build $(release) --product benchmarks
	@$(programs)/benchmarks --peers=$(peers)/bin/python3

replay: packages ## Play BUNDLE=file, which `macrolog doctor --bundle` has written, in the simulation
	@test -r "$(BUNDLE)" || { echo "Type: make replay BUNDLE=file" >&2; exit 64; }
	MACROLOG_TEST_BUNDLE="$(abspath $(BUNDLE))" swift test --filter SimulationTests.ReplayTests

soak: packages ## Try ever new seeds for HOURS=1 hours (fractions allowed), then stop
	@.ci/soak $(HOURS)

# Rebuilt only when a source is newer: `make build && sudo make install` compiles nothing as root.
sources := $(shell find Sources client-cli sync-server -type f ! -name '* *') Package.swift
.build/share/complete: $(sources)
	@$(MAKE) --no-print-directory build
	@rm -rf .build/share && mkdir -p .build/share
	for name in $(both); do \
		$(programs)/$$name man > .build/share/$$name.1 && \
		$(programs)/$$name completion bash > .build/share/$$name.bash && \
		$(programs)/$$name completion zsh > .build/share/$$name.zsh && \
		$(programs)/$$name completion fish > .build/share/$$name.fish || exit 1; done
	@touch $@

fuzz: packages ## Try inputs that nobody thought of on each reader for SECONDS=20, then stop
	@.ci/fuzz $(SECONDS)

planted: packages ## Plant each known bug in a copy, and say which test notices it
	@.ci/planted

coverage: packages ## Run the tests of the services, and say how many lines of each room they ran
	@.ci/coverage

docs: packages ## Write the library's documentation, for a browser, into .build/docs
	swift build --target Macrolog
	@.ci/docs debug

deb: .build/share/complete ## Write two Debian packages, and check them, into .build/deb
	@.ci/packages lintian mmdebstrap
	@.ci/deb

container: deb ## Write a root folder for a container, from the package, into .build/container
	@.ci/container

install: .build/share/complete ## Install programs, man pages and completions under PREFIX=/usr/local
	install -d "$(bin)" "$(man)" "$(bash)" "$(zsh)" "$(fish)"
	for name in $(both); do \
		install -m 755 $(programs)/$$name "$(bin)" && \
		install -m 644 .build/share/$$name.1 "$(man)" && \
		install -m 644 .build/share/$$name.bash "$(bash)/$$name" && \
		install -m 644 .build/share/$$name.zsh "$(zsh)/_$$name" && \
		install -m 644 .build/share/$$name.fish "$(fish)" || exit 1; done

uninstall: ## Remove what `install` with the same PREFIX put in place; your logs stay
	for name in $(both); do \
		rm -f "$(bin)/$$name" "$(man)/$$name.1" "$(bash)/$$name" "$(zsh)/_$$name" \
			"$(fish)/$$name.fish"; done

format: ## Rewrite the sources in the one format
	swift format --in-place --parallel --recursive Sources Tests client-cli sync-server Package.swift

clean: ## Throw away everything built
	rm -rf .build
