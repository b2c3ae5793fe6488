# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of what reads the command line: tables of options, numbers.
USAGE_TEST = $(BUILD)/tests/unit/test_cli_usage
QUANTITY_TEST = $(BUILD)/tests/unit/test_quantity
UNIT_TESTS += $(USAGE_TEST) $(QUANTITY_TEST)

$(USAGE_TEST): $(BUILD)/tests/unit/test_cli_usage.o $(BUILD)/cli/usage/usage.o
	$(CC) $(SAN) -o $@ $^ -lcmocka

$(QUANTITY_TEST): $(BUILD)/tests/unit/test_quantity.o $(BUILD)/cli/usage/quantity.o
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm
