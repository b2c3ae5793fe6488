# SPDX-License-Identifier: GPL-3.0-or-later
# Programs to profile. They link only libc; all but `regions` know nothing of scprof.
EXAMPLES = $(BUILD)/examples/echo_pair $(BUILD)/examples/put $(BUILD)/examples/regions

.PHONY: examples
examples: $(EXAMPLES)

$(BUILD)/examples/echo_pair: examples/echo/echo_pair.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(OPT) $(WARN) $(DEPS) -D_GNU_SOURCE -o $@ $<

$(BUILD)/examples/regions: examples/regions.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(OPT) $(WARN) $(DEPS) -D_GNU_SOURCE -Iinclude -o $@ $<

# The process under test of the displacement experiments.
PUT_SRC = examples/displacement/put.c examples/displacement/put_compute.c examples/displacement/put_send.c

$(BUILD)/examples/put: $(PUT_SRC) examples/displacement/put.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(OPT) $(WARN) -D_GNU_SOURCE -Iexamples/displacement -o $@ $(PUT_SRC)
