# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of what reads the command line: the texts of --help, numbers.
USAGE_TEST = $(BUILD)/tests/unit/test_cli_usage
QUANTITY_TEST = $(BUILD)/tests/unit/test_quantity
UNIT_TESTS += $(USAGE_TEST) $(QUANTITY_TEST)

$(USAGE_TEST): $(BUILD)/tests/unit/test_cli_usage.o $(BUILD)/cli/help/usage.o
	$(CC) $(SAN) -o $@ $^ -lcmocka

$(QUANTITY_TEST): $(BUILD)/tests/unit/test_quantity.o $(BUILD)/cli/quantity.o
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm
