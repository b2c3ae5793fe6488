# SPDX-License-Identifier: GPL-3.0-or-later
UNIT_TESTS += $(BUILD)/tests/unit/test_report_many

$(BUILD)/tests/unit/test_report_many: $(BUILD)/tests/unit/test_report_many.o $(BUILD)/tests/unit/report_fixture.o \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
