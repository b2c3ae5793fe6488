# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of displacement by call site.
SITE_COSTS_TESTS = $(BUILD)/tests/unit/test_stats_site_costs
UNIT_TESTS += $(SITE_COSTS_TESTS)

$(SITE_COSTS_TESTS): %: %.o $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm

SITE_COST_PROFILE_TEST = $(BUILD)/tests/unit/test_profile_site_cost
UNIT_TESTS += $(SITE_COST_PROFILE_TEST)

# Shared objects by name: unit.mk, which comes later, has the list.
$(SITE_COST_PROFILE_TEST): %: %.o $(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o) $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm -lpthread
