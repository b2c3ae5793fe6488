# SPDX-License-Identifier: GPL-3.0-or-later
# Root's agent between users.
SHARES_TEST = $(BUILD)/tests/unit/test_serve_shares
UNIT_TESTS += $(SHARES_TEST)

$(SHARES_TEST): %: %.o $(BUILD)/tests/unit/scp_build.o $(TOOL_ARCHIVES)
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
