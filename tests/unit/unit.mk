# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of profile/ and stats/. `make unit` builds and runs all UNIT_TESTS.
READER_TESTS = \
	test_stats_interval \
	test_stats_sums \
	test_profile_message \
	test_profile_read \
	test_profile_live \
	test_profile_damage \
	test_profile_write \
	test_profile_sums \
	test_profile_lines \
	test_profile_rate

READER_TEST_BINARIES = $(addprefix $(BUILD)/tests/unit/,$(READER_TESTS))
UNIT_TESTS += $(READER_TEST_BINARIES)

UNIT_SHARED = $(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o model_check.o)

$(READER_TEST_BINARIES): %: %.o $(UNIT_SHARED) $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm -lpthread

# Prints what reports do not show, for the command tests.
$(BUILD)/tests/unit/dump_entries: $(BUILD)/tests/unit/dump_entries.o $(BUILD)/libprofile.a
	$(CC) $(SAN) -o $@ $^ -lm

# Files read after this one add to UNIT_TESTS: the list is whole only in a recipe.
.PHONY: unit
unit:
	@$(MAKE) --no-print-directory $(UNIT_TESTS)
	@set -e; for t in $(UNIT_TESTS); do echo "== $$t"; $$t; done

include tests/fuzz/fuzz.mk
