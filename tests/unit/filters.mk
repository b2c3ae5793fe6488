# SPDX-License-Identifier: GPL-3.0-or-later
# What is left out on purpose: the pure parts, and the programs of tests/commands/filters.bats.
FILTER_TESTS = $(BUILD)/tests/unit/test_preload_glob $(BUILD)/tests/unit/test_collector_filters \
	$(BUILD)/tests/unit/test_profile_filters
UNIT_TESTS += $(FILTER_TESTS)

$(BUILD)/tests/unit/test_preload_glob: tests/unit/test_preload_glob.c $(BUILD)/preload/filter/glob.o
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. -o $@ $^ -lcmocka

$(BUILD)/tests/unit/test_collector_filters: %: %.o \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,collector profile))
	$(CC) $(SAN) -o $@ $^ -lcmocka -lelf -ldw -liberty -lm -lpthread

$(BUILD)/tests/unit/test_profile_filters: %: %.o \
		$(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o model_check.o) $(BUILD)/libprofile.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm

FILTER_PROGRAMS = $(addprefix $(BUILD)/tests/programs/,filters filters_cxx)
tests: $(FILTER_PROGRAMS)

$(BUILD)/tests/programs/filters: tests/programs/filters.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -fno-ipa-icf -Iinclude -o $@ $< -lpthread

$(BUILD)/tests/programs/filters_cxx: tests/programs/filters_cxx.cc
	@mkdir -p $(@D)
	$(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror $(DEPS) -fno-ipa-icf -o $@ $<
