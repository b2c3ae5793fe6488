# SPDX-License-Identifier: GPL-3.0-or-later
# Intervals of a proportion; tails and quantiles.
PROPORTION_TEST_BINARIES = $(addprefix $(BUILD)/tests/unit/,test_stats_proportion test_stats_distributions)
UNIT_TESTS += $(PROPORTION_TEST_BINARIES)

$(PROPORTION_TEST_BINARIES): %: %.o $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm
