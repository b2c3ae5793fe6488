# SPDX-License-Identifier: GPL-3.0-or-later
# Calls in no batch, wherever a mean is told.
UNIT_TESTS += $(BUILD)/tests/unit/test_report_apart

$(BUILD)/tests/unit/test_report_apart: %: %.o $(addprefix $(BUILD)/tests/unit/,simulate.o recording.o report_fixture.o) \
		$(BUILD)/report/live/means.o $(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
