# Two commands: `make demo` shows what libbir does, `make test` checks everything. `make pictures` is for maintainers.
CC ?= cc
CARGO ?= cargo
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
# Not optimised: the demo's document is small, and an optimised build takes minutes.
BUILT := $(TARGET)/debug
DEMO := $(TARGET)/demo
EXAMPLE := examples/c/compile_kernel.c
DOCUMENT := $(CURDIR)/tests/data/bir/scale_add.bir.json

.PHONY: help demo pictures test

help:
	@echo "make demo   build the C library, compile a kernel with it from C, and look into the package"
	@echo "make test   install what the checks need, if it is missing, and run all of them"

demo:
	@test -f $(EXAMPLE) || { echo "make demo: $(EXAMPLE) is missing"; exit 1; }
	@echo "== Building libbir.so and the bir command"
	@$(CARGO) build -p bir-cli
	@$(CARGO) xtask lib > /dev/null
	@rm -rf "$(DEMO)" && mkdir -p "$(DEMO)"
	@echo "== Compiling $(EXAMPLE)"
	@$(CC) -std=c99 -O2 -Wall -Wextra -Wpedantic -Iinclude -o "$(DEMO)/compile_kernel" $(EXAMPLE) \
		-L"$(BUILT)/lib" -lbir -Wl,-rpath,"$(BUILT)/lib"
	@echo "== compile_kernel scale_add.bir.json"
	@cd "$(DEMO)" && ./compile_kernel "$(DOCUMENT)"
	@echo "== bir info scale_add.neff"
	@cd "$(DEMO)" && "$(BUILT)/bir" info scale_add.neff
	@echo "== bir list scale_add.neff"
	@cd "$(DEMO)" && "$(BUILT)/bir" list scale_add.neff
	@echo "== The package is $(DEMO)/scale_add.neff"

# The samples of docs/graph.md.
pictures:
	@$(CARGO) run -q -p bir-cli -- graph docs/pictures/attention.bir.json -o docs/pictures/attention.svg
	@$(CARGO) run -q -p bir-cli -- graph docs/pictures/attention.bir.json --memory -o docs/pictures/attention-memory.svg

test:
	@$(CARGO) xtask install
	@$(CARGO) xtask ci
