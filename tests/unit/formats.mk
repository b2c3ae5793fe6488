# SPDX-License-Identifier: GPL-3.0-or-later
COPY_TESTS = $(addprefix $(BUILD)/tests/unit/,test_report_bound test_report_files)
FORMAT_TESTS = $(addprefix $(BUILD)/tests/unit/,test_report_elsewhere test_report_order) $(COPY_TESTS)
UNIT_TESTS += $(FORMAT_TESTS)

$(COPY_TESTS): $(BUILD)/tests/unit/copy_fixture.o
$(FORMAT_TESTS): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/tests/unit/report_fixture.o \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
