# SPDX-License-Identifier: GPL-3.0-or-later
# scprof. `make help` lists the targets. Each folder's build.mk lists its sources.

# Each rule is written here. To look for make's own, too, for each of a thousand files takes four times as long.
MAKEFLAGS += --no-builtin-rules

# `make ARCH=aarch64`: for another processor, by Debian's cross compiler. qemu-user runs the tool for its man pages.
ifneq ($(filter-out $(shell uname -m),$(ARCH)),)
export CC   = $(ARCH)-linux-gnu-gcc
BUILD       = build/$(ARCH)
SCPROF_RUN  = qemu-$(ARCH)
endif
BUILD  ?= build
PREFIX ?= /usr/local
CC     ?= cc
AR     ?= ar
VERSION := $(shell sed -n 's/.*SCPROF_VERSION "\(.*\)"/\1/p' include/scprof_version.h)

# Other compilers have other warnings: they stop the build where those are known.
WERROR := $(shell test "$$($(CC) -dumpversion 2>/dev/null | cut -d. -f1)" = 12 && echo -Werror)
WARN    = -Wall -Wextra $(WERROR) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
DEPS    = -MMD -MP
OPT    ?= -O2 -g
SAN    ?=

# One set of flags a product: these are the tool's, preload/build.mk has the library's.
TOOL_CFLAGS   = -std=gnu11 $(OPT) $(WARN) $(DEPS) $(SAN) -D_GNU_SOURCE -I. -Icli

.DEFAULT_GOAL := all
include preload/build.mk profile/build.mk stats/build.mk collector/build.mk report/build.mk report/serve/build.mk cli/build.mk

.PHONY: all check list-suites check-long demo bench fuzz lint sanitize clean help setup setup-tests
all: $(BUILD)/libscprof.so $(UNWIND_OBJECT) $(BUILD)/scprof man examples

TOOL_LIBS = -lelf -ldw -lgsl -lgslcblas -ljansson -lprotobuf-c -lz -liberty -lunistring -lncursesw -ltinfo -lm -lpthread -ldl

define static_library # name, sources
$(BUILD)/lib$(1).a: $(patsubst %.c,$(BUILD)/%.o,$(2))
	@rm -f $$@
	$(AR) qcs $$@ $$^
endef
$(eval $(call static_library,profile,$(PROFILE_SRC)))
$(eval $(call static_library,stats,$(STATS_SRC)))
$(eval $(call static_library,collector,$(COLLECTOR_SRC)))
$(eval $(call static_library,report,$(REPORT_SRC)))
$(eval $(call static_library,serve,$(SERVE_SRC)))
$(eval $(call static_library,cli,$(filter-out cli/main.c,$(CLI_SRC))))

TOOL_ARCHIVES = $(addprefix $(BUILD)/lib,$(addsuffix .a,cli serve collector report profile stats))

$(BUILD)/scprof: $(BUILD)/cli/main.o $(TOOL_ARCHIVES)
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS)

include scripts/packaging/man/build.mk scripts/packaging/build.mk docs/examples/build.mk tests/bench/build.mk tests/build.mk

$(BUILD)/preload/%.o: preload/%.c
	@mkdir -p $(@D)
	$(CC) $(PRELOAD_CFLAGS) -c -o $@ $<

$(BUILD)/preload/%.o: preload/%.S
	@mkdir -p $(@D)
	$(CC) $(PRELOAD_CFLAGS) -c -o $@ $<

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) $(CFLAGS_$(subst /,_,$*)) -c -o $@ $<

setup:
	@BUILD=$(BUILD) scripts/setup.sh

setup-tests:
	@BUILD=$(BUILD) scripts/setup.sh --tests

# To build for the tests, as many jobs as there are processors, unless -j says otherwise.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Setting up comes first even under `make -j`, hence another make for what needs the compiler.
demo: setup
	@MAKE="$(MAKE) --no-print-directory $(JOBS)" BUILD=$(BUILD) scripts/demo.sh

# What proves harnesses and examples, or needs other servers for long: `make check-long` runs it.
LONG_SUITES = $(filter $(BUILD)/tests/unit/bench/%,$(UNIT_TESTS)) tests/commands/serve/fleet.bats \
	tests/commands/displace/displacement_experiments.bats tests/commands/cli/tutorial.bats
SUITES = $(filter-out $(LONG_SUITES),$(UNIT_TESTS) $(sort $(wildcard tests/commands/*/*.bats)))

check: setup-tests
	@$(MAKE) --no-print-directory $(JOBS) all tests
	@tests/run --build $(BUILD) $(SUITES)

# For tests/repeat.
list-suites:
	@printf '%s\n' $(SUITES)

check-long:
	@BUILD=$(BUILD) scripts/setup.sh --tests --shells
	@$(MAKE) --no-print-directory $(JOBS) all tests
	@MUTANTS=4500 LONG=1 PYTHONS=all tests/run --build $(BUILD) $(LONG_SUITES) \
		$(addprefix $(BUILD)/tests/unit/,$(addprefix preload/,test_walk test_path_tree test_table) collector/test_attach profile/test_damage report/test_diff_computing \
		report/test_live_means report/test_live_window serve/test_spread stats/test_displacement stats/test_line) $(addprefix tests/commands/report/,damaged.bats html.bats diff_html.bats) \
		tests/commands/cli/complete.bats tests/commands/cli/install.bats tests/commands/serve/pull.bats tests/commands/attach/hostile.bats tests/commands/attach/dump.bats \
		tests/commands/run/sample.bats $(wildcard tests/commands/python/*.bats)
	@scripts/agreement.sh $(BUILD)
	@scripts/verify_programs.sh $(BUILD)
	@scripts/third_party_suites.sh $(BUILD)

bench:
	@BUILD=$(BUILD) scripts/setup.sh --tests --bench
	@$(MAKE) --no-print-directory all bench-programs
	@tests/bench/run --build $(BUILD) $(BENCH_ARGS)

fuzz:
	@BUILD=$(BUILD) scripts/setup.sh --tests --fuzz
	@$(MAKE) --no-print-directory $(JOBS) $(SANITIZED) mutants
	@$(MAKE) --no-print-directory fuzz-reader
	@$(MAKE) --no-print-directory $(SANITIZED) fuzz-commands

# From a double to an integer that cannot hold it is undefined, but in no group of checks.
SANITIZED = BUILD=$(BUILD)/sanitize OPT='-O1 -g -fno-omit-frame-pointer' \
	SAN='-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=undefined,float-cast-overflow'

sanitize: setup-tests
	@$(MAKE) --no-print-directory $(SANITIZED) sanitize-run

lint: setup-tests
	@scripts/lint.sh $(BUILD)

clean:
	rm -rf $(BUILD)

help:
	@echo 'make            build $(BUILD)/scprof and $(BUILD)/libscprof.so'
	@echo 'make demo       install what building needs, build, profile an example, print its report'
	@echo 'make check      install what the tests need, build, run all tests (minutes)'
	@echo 'make check-long widely used programs, and other projects'"'"' test suites, with and without the library (minutes)'
	@echo 'make bench      measure costs beside other tools (minutes)'
	@echo 'make fuzz       fuzz the profile reader with AFL++, and the commands, a minute each'
	@echo 'make sanitize   run the unit tests and the reader under ASan and UBSan'
	@echo 'make lint       clang-format, cppcheck, shellcheck, own rules'
	@echo 'make install    PREFIX=/usr/local, LIBDIR=, DESTDIR=; make uninstall takes it away again'
	@echo 'make dist       one archive for every Linux of this processor, in $(BUILD)/dist'
	@echo 'make deb        Debian packages, in $(BUILD)/deb'
	@echo 'make clean'

# A .d file may name a source that was moved. This rule stands for that source, and its object is built anew.
%.c: ;

-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
