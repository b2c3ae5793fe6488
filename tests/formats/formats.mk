# SPDX-License-Identifier: GPL-3.0-or-later
# What tests/commands/formats.bats prints in every format.
FORMATS = $(BUILD)/tests/formats
tests: $(FORMATS)/make_hostile $(FORMATS)/hostile.so

$(FORMATS)/make_hostile: $(FORMATS)/make_hostile.o $(BUILD)/tests/unit/scp_build.o
	$(CC) $(SAN) -o $@ $^
$(FORMATS)/make_hostile.o: TOOL_CFLAGS +=

# The names: separators, quotes and a line break, markup, broken UTF-8, one of 10 kB, a
# formula, terminal control.
$(FORMATS)/hostile.so: tests/formats/hostile.S tests/formats/rename.sh
	@mkdir -p $(@D)
	tests/formats/rename.sh $(CC) $< $@
