# SPDX-License-Identifier: GPL-3.0-or-later
# What the wrapper adds, as the library estimates it and as the reader puts it together.
UNIT_TESTS += $(BUILD)/tests/unit/test_profile_overhead $(BUILD)/tests/unit/test_preload_overhead

$(BUILD)/tests/unit/test_profile_overhead: $(BUILD)/tests/unit/test_profile_overhead.o \
		$(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o model_check.o) $(BUILD)/libprofile.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm

$(BUILD)/tests/unit/test_preload_overhead: tests/unit/test_preload_overhead.c $(BUILD)/preload/overhead/overhead_stats.o
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. -o $@ $^ -lcmocka -lm

# Programs and library of this build, run by the test.
UNIT_TESTS += $(BUILD)/tests/unit/test_overhead_recorded
$(BUILD)/tests/unit/test_overhead_recorded.o: TOOL_CFLAGS += \
	-DPROGRAM='"$(abspath $(BUILD))/tests/programs/overhead_life"' -DLIBRARY='"$(abspath $(BUILD))/libscprof.so"'
$(BUILD)/tests/unit/test_overhead_recorded: $(BUILD)/tests/unit/test_overhead_recorded.o \
		$(BUILD)/tests/unit/model_check.o $(BUILD)/libprofile.a \
		| $(BUILD)/libscprof.so $(BUILD)/tests/programs/overhead_life
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm
