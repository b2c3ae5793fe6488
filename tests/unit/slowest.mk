# SPDX-License-Identifier: GPL-3.0-or-later
# The slowest calls: as the library keeps them, and as the reader puts them together.
UNIT_TESTS += $(BUILD)/tests/unit/test_profile_slowest $(BUILD)/tests/unit/test_preload_slowest

$(BUILD)/tests/unit/test_profile_slowest: $(BUILD)/tests/unit/test_profile_slowest.o \
		$(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o model_check.o) $(BUILD)/libprofile.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm

$(BUILD)/tests/unit/test_preload_slowest: tests/unit/test_preload_slowest.c \
		$(patsubst %,$(BUILD)/preload/%.o,table/slowest process/slowest_settings)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. -Ipreload/arch/$(ARCH) -o $@ $^ -lcmocka

UNIT_TESTS += $(BUILD)/tests/unit/test_report_slowest
$(BUILD)/tests/unit/test_report_slowest: $(addprefix $(BUILD)/tests/unit/,test_report_slowest.o report_fixture.o) \
		$(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
