# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of displacement by call site.
SITE_COSTS_TESTS = $(BUILD)/tests/unit/test_stats_site_costs
UNIT_TESTS += $(SITE_COSTS_TESTS)

$(SITE_COSTS_TESTS): %: %.o $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm

SITE_COST_PROFILE_TEST = $(addprefix $(BUILD)/tests/unit/,test_profile_site_cost test_profile_account)
UNIT_TESTS += $(SITE_COST_PROFILE_TEST)

# Shared objects by name: the list of unit.mk is read later.
$(SITE_COST_PROFILE_TEST): %: %.o $(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o) $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm -lpthread

SITE_SAMPLES_TEST = $(BUILD)/tests/unit/test_site_samples
UNIT_TESTS += $(SITE_SAMPLES_TEST)

$(SITE_SAMPLES_TEST): %: %.o $(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o) \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,collector profile stats))
	$(CC) $(SAN) -o $@ $^ -lcmocka -lelf -lgsl -lgslcblas -lm -lpthread

REPORT_DISPLACED_TEST = $(BUILD)/tests/unit/test_report_displaced
UNIT_TESTS += $(REPORT_DISPLACED_TEST)

$(REPORT_DISPLACED_TEST): %: %.o $(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o) \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka

SITE_COSTS_RUN_TEST = $(BUILD)/tests/unit/test_site_costs_run
UNIT_TESTS += $(SITE_COSTS_RUN_TEST)

# The measurement is the test's own: of the collector only the joining.
$(SITE_COSTS_RUN_TEST): %: %.o $(addprefix $(BUILD)/collector/displacement/sites/,site_costs_run.o site_index.o) $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm
