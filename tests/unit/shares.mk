# SPDX-License-Identifier: GPL-3.0-or-later
# Root's agent between users.
SHARES_TEST = $(BUILD)/tests/unit/test_serve_shares
UNIT_TESTS += $(SHARES_TEST)

$(SHARES_TEST): %: %.o $(BUILD)/tests/unit/scp_build.o $(TOOL_ARCHIVES)
	$(CC) $(SAN) -Wl,--wrap=clock_gettime,--wrap=source_load,--wrap=report_build -o $@ $^ $(TOOL_LIBS) -lcmocka
