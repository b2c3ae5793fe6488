# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of what reads the texts of --help.
USAGE_TEST = $(BUILD)/tests/unit/test_cli_usage
UNIT_TESTS += $(USAGE_TEST)

$(USAGE_TEST): $(BUILD)/tests/unit/test_cli_usage.o $(BUILD)/cli/usage.o
	$(CC) $(SAN) -o $@ $^ -lcmocka
