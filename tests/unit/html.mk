# SPDX-License-Identifier: GPL-3.0-or-later
# Pages: profiles with many paths and with hostile names for tests/commands/html.bats; the tree of callers.
$(BUILD)/tests/unit/make_profile: $(addprefix $(BUILD)/tests/unit/,make_profile.o scp_build.o)
	$(CC) $(SAN) -o $@ $^

tests: $(BUILD)/tests/unit/make_profile

UNIT_TESTS += $(BUILD)/tests/unit/test_report_flame
$(BUILD)/tests/unit/test_report_flame: $(addprefix $(BUILD)/tests/unit/,test_report_flame.o report_fixture.o) \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
