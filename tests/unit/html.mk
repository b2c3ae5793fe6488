# SPDX-License-Identifier: GPL-3.0-or-later
# Writes profiles with many paths and with hostile names, for tests/commands/html.bats.
$(BUILD)/tests/unit/make_profile: $(addprefix $(BUILD)/tests/unit/,make_profile.o scp_build.o)
	$(CC) $(SAN) -o $@ $^

tests: $(BUILD)/tests/unit/make_profile
