# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of comparisons: their statistics, and by simulation how often they err.
DIFF_TESTS = test_diff_stats test_diff_trimmed test_diff_words
DIFF_TEST_BINS = $(addprefix $(BUILD)/tests/unit/,$(DIFF_TESTS))
UNIT_TESTS += $(DIFF_TEST_BINS)

$(DIFF_TEST_BINS): %: %.o $(BUILD)/tests/unit/simulate.o $(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
