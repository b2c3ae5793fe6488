# SPDX-License-Identifier: Apache-2.0
# `make demo` and `make setup` begin without a compiler.
ARCH ?= $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)

PRELOAD_SRC = \
	preload/attach/session.c \
	preload/attach/wake_page.c \
	preload/call/call_begin.c \
	preload/call/call_end.c \
	preload/call/early.c \
	preload/call/fd_kind.c \
	preload/call/follower.c \
	preload/call/full_walk.c \
	preload/call/look.c \
	preload/call/merge.c \
	preload/call/path_cache.c \
	preload/call/walk.c \
	preload/call/walk_rows.c \
	preload/causal/causal.c \
	preload/causal/causal_delay.c \
	preload/causal/causal_site.c \
	preload/clock/clock.c \
	preload/filter/control.c \
	preload/filter/filter.c \
	preload/function/function.c \
	preload/function/precedence.c \
	preload/function/region_name.c \
	preload/function/selected.c \
	preload/function/selected_stack.c \
	preload/interpose/hooks.c \
	preload/interpose/load.c \
	preload/interpose/sandbox.c \
	preload/interpose/wrappers.c \
	preload/overhead/overhead.c \
	preload/overhead/overhead_estimate.c \
	preload/overhead/overhead_way.c \
	preload/process/arena.c \
	preload/process/file.c \
	preload/process/file_name.c \
	preload/process/libc.c \
	preload/process/modules.c \
	preload/process/object_index.c \
	preload/process/process.c \
	preload/process/settings.c \
	preload/process/slowest_settings.c \
	preload/process/start_name.c \
	preload/python/python.c \
	preload/python/python_code.c \
	preload/python/python_code_watch.c \
	preload/python/python_find.c \
	preload/python/python_frames.c \
	preload/python/python_layout.c \
	preload/python/python_object.c \
	preload/python/python_record.c \
	preload/python/python_state.c \
	preload/python/python_table.c \
	preload/region/region.c \
	preload/region/region_api.c \
	preload/region/region_delay.c \
	preload/region/region_functions.c \
	preload/second/second.c \
	preload/selected/selected_call.c \
	preload/start/lifecycle.c \
	preload/start/session_file.c \
	preload/switches/switch_budget.c \
	preload/switches/switch_area.c \
	preload/switches/switch_detector.c \
	preload/switches/switch_reading.c \
	preload/switches/switch_totals.c \
	preload/switches/switch_track.c \
	preload/system/glob.c \
	preload/system/stack.c \
	preload/system/sys.c \
	preload/table/batch.c \
	preload/table/first_calls.c \
	preload/table/header.c \
	preload/table/path_tree.c \
	preload/table/record.c \
	preload/table/slowest.c \
	preload/table/states.c \
	preload/table/table.c \
	preload/table/tail.c \
	preload/table/thread.c \
	preload/table/thread_state.c \
	preload/table/tick_phase.c \
	preload/table/usage.c \
	preload/unwind/unwind_cfi.c \
	preload/unwind/unwind_chain.c \
	preload/unwind/unwind_expr.c \
	preload/unwind/unwind_memory.c \
	preload/unwind/unwind_object.c \
	preload/unwind/unwind_row.c
PRELOAD_ASM = $(PRELOAD_ASM_$(ARCH)) preload/interpose/entry_$(ARCH).S preload/selected/selected_$(ARCH).S
# Arguments of selected functions stay in the vector registers while our code runs.
PRELOAD_CFLAGS_x86_64 =
# x18 may be the platform's; indirect jumps and return addresses are protected as the target's own;
# functions for atomic operations would bring a constructor.
PRELOAD_CFLAGS_aarch64 = -ffixed-x18 -mbranch-protection=standard -mno-outline-atomics
PRELOAD_SRC_aarch64 = preload/system/memory.c
# The tool goes into running processes of this one alone.
PRELOAD_SRC_x86_64 = $(addprefix preload/attach/,slots.c slots_entry.c slots_names.c slots_object.c slots_store.c slots_stubs.c)
PRELOAD_ASM_x86_64 = preload/attach/slots_entry_x86_64.S
PRELOAD_SRC += $(PRELOAD_SRC_$(ARCH))
PRELOAD_ARCH_CFLAGS = -mgeneral-regs-only $(PRELOAD_CFLAGS_$(ARCH))

# What runs inside other people's programs: no floating point, no calls to string
# functions that the target may have replaced, small frames, TLS without allocation.
PRELOAD_CFLAGS = -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. -Ipreload/arch/$(ARCH) \
	-fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-omit-frame-pointer \
	-fasynchronous-unwind-tables -fno-stack-protector -U_FORTIFY_SOURCE \
	-fno-tree-loop-distribute-patterns -fno-tree-vectorize -fno-tree-slp-vectorize -Wframe-larger-than=1200 $(PRELOAD_ARCH_CFLAGS)

PRELOAD_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(PRELOAD_SRC)) $(patsubst %.S,$(BUILD)/%.o,$(PRELOAD_ASM)) \
	$(BUILD)/preload/selected/early_section.o

# The exported symbols, from the one list.
$(BUILD)/preload/exports.txt: preload/function/wrappers.def
	@mkdir -p $(@D)
	$(CC) -E -P -x c -D'SCP_WRAP(ret, name, ...)=name;' -D'SCP_HOOK(name)=name;' -D'SCP_SERVE(name)=name;' $< | grep -v '^#' | tr ';' '\n' | \
		sed -n 's/^ *\([a-zA-Z_0-9]\{1,\}\) *$$/\1/p' | sort -u > $@

$(BUILD)/preload/exports.map: $(BUILD)/preload/exports.txt
	(echo '{ global:'; sed 's/$$/;/' $<; echo 'local: *; };') > $@

# The one of `make dist` is without debug information, so that its build id is of its code alone.
$(BUILD)/libscprof.so $(BUILD)/dist/libscprof.so: $(PRELOAD_OBJ) $(BUILD)/preload/exports.map
	@mkdir -p $(@D)
	$(CC) -shared -nodefaultlibs $(if $(findstring /dist/,$@),-s) -o $@ $(PRELOAD_OBJ) -lgcc -Wl,--version-script=$(BUILD)/preload/exports.map \
		-Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,--sort-section=name -Wl,--build-id -Wl,-soname,libscprof.so

# libunwind for `scprof run --verify-paths`, where it is installed: an object of its own, which
# libscprof.so loads from beside itself and goes without.
ifeq ($(ARCH),x86_64)
UNWIND_OBJECT := $(if $(shell echo '\#include <libunwind.h>' | $(CC) -E - >/dev/null 2>&1 && echo y),$(BUILD)/libscprof-unwind.so)
endif

$(BUILD)/libscprof-unwind.so $(BUILD)/dist/libscprof-unwind.so: $(BUILD)/preload/second/libunwind_walk.o
	@mkdir -p $(@D)
	$(CC) -shared $(if $(findstring /dist/,$@),-s) -o $@ $< -lunwind-x86_64 -lunwind -Wl,-z,now -Wl,-z,relro -Wl,-z,defs -Wl,--build-id -Wl,-soname,$(@F)

# What the tool puts into stub objects: code that needs no linker, see selected_early.c.
EARLY_CFLAGS_x86_64 = -fcf-protection=none
$(BUILD)/preload/selected/selected_early.o: PRELOAD_CFLAGS += -fno-toplevel-reorder $(EARLY_CFLAGS_$(ARCH)) \
	-fno-jump-tables -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -g0
$(BUILD)/preload/selected/early_section.o: $(BUILD)/preload/selected/selected_early.o scripts/embed_code.sh
	scripts/embed_code.sh $< $@ "$$($(CC) -print-prog-name=objcopy)"
