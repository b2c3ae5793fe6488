# SPDX-License-Identifier: GPL-3.0-or-later
# Loops of threads: the graph of calls, its cycles, its rows, and how they are printed.
LOOP_TESTS = test_report_loop_graph test_report_loops test_report_share
LOOP_TEST_BINS = $(addprefix $(BUILD)/tests/unit/,$(LOOP_TESTS))
UNIT_TESTS += $(LOOP_TEST_BINS)

$(LOOP_TEST_BINS): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/tests/unit/loop_fixture.o \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
