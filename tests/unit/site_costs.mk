# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of displacement by call site.
SITE_COSTS_TESTS = $(BUILD)/tests/unit/test_stats_site_costs
UNIT_TESTS += $(SITE_COSTS_TESTS)

$(SITE_COSTS_TESTS): %: %.o $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm
