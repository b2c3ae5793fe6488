# SPDX-License-Identifier: GPL-3.0-or-later
# Programs to profile. They know nothing of scprof and link only libc.
EXAMPLES = $(BUILD)/examples/echo_pair

.PHONY: examples
examples: $(EXAMPLES)

$(BUILD)/examples/echo_pair: examples/echo/echo_pair.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(OPT) $(WARN) $(DEPS) -D_GNU_SOURCE -o $@ $<
