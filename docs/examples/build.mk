# SPDX-License-Identifier: GPL-3.0-or-later
# Programs to profile. They link only libc; all but `regions` and `dash_pair` know nothing of scprof.
EXAMPLES = $(BUILD)/examples/echo_pair $(BUILD)/examples/regions $(BUILD)/examples/dash_pair $(BUILD)/examples/put \
	$(BUILD)/examples/two_sites

.PHONY: examples
examples: $(EXAMPLES)

$(BUILD)/examples/echo_pair: docs/examples/echo/echo_pair.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(OPT) $(WARN) $(DEPS) -D_GNU_SOURCE -o $@ $<

$(BUILD)/examples/regions: docs/examples/regions.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(OPT) $(WARN) $(DEPS) -D_GNU_SOURCE -Iinclude -o $@ $<

$(BUILD)/examples/dash_pair: docs/examples/dash/dash_pair.c docs/examples/dash/pace.c docs/examples/dash/pace.h include/scprof.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(OPT) $(WARN) -D_GNU_SOURCE -Iinclude -o $@ $(filter %.c,$^)

# What a call at each of two sites causes in softirqs: docs/displacement.md.
$(BUILD)/examples/two_sites: docs/examples/displacement/two_sites.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(OPT) $(WARN) $(DEPS) -D_GNU_SOURCE -pthread -o $@ $<

# The process under test of the displacement experiments.
PUT_SRC = docs/examples/displacement/put.c docs/examples/displacement/put_clock.c docs/examples/displacement/put_compute.c \
	docs/examples/displacement/put_send.c

$(BUILD)/examples/put: $(PUT_SRC) docs/examples/displacement/put.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(OPT) $(WARN) -D_GNU_SOURCE -Idocs/examples/displacement -o $@ $(PUT_SRC)
