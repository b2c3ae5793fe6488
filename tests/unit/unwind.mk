# SPDX-License-Identifier: GPL-3.0-or-later
# The unwinder of preload/, by itself, held against libunwind.
UNIT_TESTS += $(BUILD)/tests/unit/test_unwind $(BUILD)/tests/unit/test_unwind_expr

UNWIND_OBJ = $(patsubst %,$(BUILD)/preload/unwind/%.o,unwind unwind_cfi unwind_expr unwind_object unwind_register)

$(BUILD)/tests/unit/test_unwind $(BUILD)/tests/unit/test_unwind_expr: $(BUILD)/tests/unit/%: tests/unit/%.c $(UNWIND_OBJ)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. -Ipreload/arch/$(ARCH) \
		-fno-omit-frame-pointer -fasynchronous-unwind-tables -o $@ $< $(UNWIND_OBJ) -lunwind -lcmocka -lpthread
