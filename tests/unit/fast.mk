# SPDX-License-Identifier: GPL-3.0-or-later
# What makes reports of very many call paths fast, held against the slow way.
FAST_TESTS = $(addprefix $(BUILD)/tests/unit/,test_report_symbol_table test_report_json_write test_report_pairs)
UNIT_TESTS += $(FAST_TESTS)

$(FAST_TESTS): %: %.o $(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
