# SPDX-License-Identifier: GPL-3.0-or-later
# What plan.bats asks about.
$(BUILD)/tests/unit/make_ticks: $(addprefix $(BUILD)/tests/unit/,make_ticks.o scp_build.o)
	$(CC) $(SAN) -o $@ $^

tests: $(BUILD)/tests/unit/make_ticks
