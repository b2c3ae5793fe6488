# SPDX-License-Identifier: GPL-3.0-or-later
# What `make tests` builds. Suites of commands lie in tests/commands/*/*.bats.
include tests/unit/build.mk tests/programs/build.mk tests/fuzz/build.mk

# Made-up profiles, and what reports do not show, for the command tests.
PROFILE_MAKERS = $(addprefix $(BUILD)/tests/profiles/,make_profile make_states make_ticks make_hostile make_paths make_python make_sampled)
DUMP_ENTRIES = $(addprefix $(BUILD)/tests/profiles/,dump_entries dump_paths)
DUMP_CHECKS = $(BUILD)/tests/profiles/dump_checks
# Wakes dormant processes, without a command of the tool.
WAKE = $(BUILD)/tests/attach/wake $(BUILD)/tests/attach/no_ptrace
HOSTILE = $(BUILD)/tests/profiles/hostile.so

.PHONY: tests sanitize-run
tests: $(TARGETS) $(JAVA_CLASSES) $(UNIT_TESTS) $(PROFILE_MAKERS) $(DUMP_ENTRIES) $(DUMP_CHECKS) $(HOSTILE) $(WAKE) $(BUILD)/tests/fuzz/mutate examples \
	$(addprefix $(BUILD)/bench/,calibrated_call known_load thirty)

$(PROFILE_MAKERS): %: %.o $(UNIT_SUPPORT) $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lunistring -lm -lpthread

$(DUMP_ENTRIES): %: %.o $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lunistring -lm -lpthread

$(DUMP_CHECKS): %: %.o
	$(CC) $(SAN) -o $@ $^

$(BUILD)/tests/attach/no_ptrace: %: %.o
	$(CC) $(SAN) -o $@ $<

$(BUILD)/tests/attach/wake: %: %.o $(BUILD)/libcollector.a $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS)

# The names: separators, quotes and a line break, markup, broken UTF-8, one of 10 kB, a
# formula, terminal control.
$(HOSTILE): tests/profiles/hostile.S tests/profiles/rename.sh
	@mkdir -p $(@D)
	tests/profiles/rename.sh $(CC) $< $@

# Built with the sanitizers by `make sanitize`; the profile comes from the
# plain library, which runs in programs that have no sanitizer.
# Threads of programs with a sanitizer are never borrowed, so the tests of that are left out.
SANITIZED_TESTS = $(filter-out %/collector/test_attach %/collector/test_attach_late %/collector/test_safe_point,$(UNIT_TESTS))
sanitize-run: $(SANITIZED_TESTS) $(BUILD)/scprof $(BUILD)/libscprof.so tests
	@MUTANTS=1500 tests/run --build $(BUILD) $(SANITIZED_TESTS) tests/commands/report/damaged.bats
