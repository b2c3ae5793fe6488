# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of calls inside intervals, from the file to the report.
INNER_TEST = $(BUILD)/tests/unit/test_inner
UNIT_TESTS += $(INNER_TEST)

$(INNER_TEST): %: %.o $(addprefix $(BUILD)/tests/unit/,report_fixture.o scp_build.o scp_sample.o model_check.o) \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
