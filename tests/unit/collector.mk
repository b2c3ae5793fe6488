# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of collector/.
COLLECTOR_TESTS = \
	test_collector_duration \
	test_collector_ticker \
	test_collector_program \
	test_collector_launch \
	test_collector_files

COLLECTOR_TEST_BINS = $(addprefix $(BUILD)/tests/unit/,$(COLLECTOR_TESTS))
UNIT_TESTS += $(COLLECTOR_TEST_BINS)

$(COLLECTOR_TEST_BINS): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,collector profile stats))
	$(CC) $(SAN) -o $@ $^ -lcmocka -lelf -lgsl -lgslcblas -lm -lpthread
