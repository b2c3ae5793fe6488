# SPDX-License-Identifier: GPL-3.0-or-later
# Reports when out of memory: the allocations of report/ and profile/ go through the test.
MEMORY_TEST = $(BUILD)/tests/unit/test_report_memory
UNIT_TESTS += $(MEMORY_TEST)

$(MEMORY_TEST): %: %.o $(BUILD)/tests/unit/report_fixture.o $(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc -o $@ $^ $(TOOL_LIBS) -lcmocka
