# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of displacement: the estimators, and what is read from the kernel's files.
DISPLACE_STATS_TESTS = $(addprefix $(BUILD)/tests/unit/,test_stats_displacement test_stats_woodside)
DISPLACE_TESTS = $(addprefix $(BUILD)/tests/unit/,test_displace_files test_displace_fluid \
	test_displace_guard test_displace_summary)
UNIT_TESTS += $(DISPLACE_STATS_TESTS) $(DISPLACE_TESTS)

$(DISPLACE_STATS_TESTS): %: %.o $(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm

$(DISPLACE_TESTS): %: %.o $(addprefix $(BUILD)/lib,$(addsuffix .a,collector profile stats))
	$(CC) $(SAN) -o $@ $^ -lcmocka -lelf -lgsl -lgslcblas -lm -lpthread
