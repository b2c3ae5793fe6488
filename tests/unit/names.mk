# SPDX-License-Identifier: GPL-3.0-or-later
# What a program was started as: as the library reads it, and as profiles keep it.
UNIT_TESTS += $(BUILD)/tests/unit/test_start_name $(BUILD)/tests/unit/test_profile_names

$(BUILD)/tests/unit/test_start_name: tests/unit/test_start_name.c $(BUILD)/preload/process/start_name.o
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. -Ipreload/arch/$(ARCH) -o $@ $^ -lcmocka

$(BUILD)/tests/unit/test_profile_names: %: %.o \
		$(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o model_check.o) $(BUILD)/libprofile.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm
