# SPDX-License-Identifier: Apache-2.0
ARCH ?= $(shell $(CC) -dumpmachine | cut -d- -f1)

PRELOAD_SRC = \
	preload/call/call.c \
	preload/call/fd_kind.c \
	preload/call/function.c \
	preload/call/hooks.c \
	preload/call/wrappers.c \
	preload/clock/clock.c \
	preload/clock/overhead.c \
	preload/clock/overhead_rounds.c \
	preload/clock/overhead_stats.c \
	preload/clock/tick_phase.c \
	preload/filter/below.c \
	preload/filter/below_search.c \
	preload/filter/control.c \
	preload/filter/filter.c \
	preload/filter/glob.c \
	preload/path/modules.c \
	preload/path/path_cache.c \
	preload/path/stack.c \
	preload/path/unwind.c \
	preload/path/unwind_cfi.c \
	preload/path/unwind_expr.c \
	preload/path/unwind_object.c \
	preload/region/region.c \
	preload/region/region_api.c \
	preload/region/region_filter.c \
	preload/region/region_functions.c \
	preload/region/region_name.c \
	preload/selected/reexec.c \
	preload/selected/reexec_ask.c \
	preload/selected/selected.c \
	preload/start/lifecycle.c \
	preload/start/precedence.c \
	preload/start/process.c \
	preload/start/sandbox.c \
	preload/start/settings.c \
	preload/start/slowest_settings.c \
	preload/start/start.c \
	preload/start/start_name.c \
	preload/start/version.c \
	preload/table/arena.c \
	preload/table/batch.c \
	preload/table/file.c \
	preload/table/file_name.c \
	preload/table/slowest.c \
	preload/table/table.c \
	preload/table/thread.c
PRELOAD_ASM = preload/arch/$(ARCH)/entry.S
ifeq ($(ARCH),x86_64)
PRELOAD_SRC += preload/selected/selected_call.c
PRELOAD_ASM += preload/arch/x86_64/selected.S
# Arguments of chosen symbols stay in the vector registers while our code runs.
PRELOAD_ARCH_CFLAGS = -mgeneral-regs-only
endif

# What runs inside other people's programs: no floating point, no calls to string
# functions that the target may have replaced, small frames, TLS without allocation.
PRELOAD_CFLAGS = -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. -Ipreload/arch/$(ARCH) \
	-fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-omit-frame-pointer \
	-fasynchronous-unwind-tables -fno-stack-protector -U_FORTIFY_SOURCE \
	-fno-tree-loop-distribute-patterns -fno-tree-vectorize -fno-tree-slp-vectorize -Wframe-larger-than=1200 $(PRELOAD_ARCH_CFLAGS)

PRELOAD_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(PRELOAD_SRC)) $(patsubst %.S,$(BUILD)/%.o,$(PRELOAD_ASM))

# The exported symbols, from the one list.
$(BUILD)/preload/exports.txt: preload/call/wrappers.def
	@mkdir -p $(@D)
	$(CC) -E -P -x c -D'SCP_WRAP(ret, name, ...)=name;' -D'SCP_HOOK(name)=name;' -D'SCP_SERVE(name)=name;' $< | grep -v '^#' | tr ';' '\n' | \
		sed -n 's/^ *\([a-zA-Z_0-9]\{1,\}\) *$$/\1/p' | sort -u > $@

$(BUILD)/preload/exports.map: $(BUILD)/preload/exports.txt
	(echo '{ global:'; sed 's/$$/;/' $<; echo 'local: *; };') > $@


$(BUILD)/libscprof.so: $(PRELOAD_OBJ) $(BUILD)/preload/exports.map
	$(CC) -shared -o $@ $(PRELOAD_OBJ) -Wl,--version-script=$(BUILD)/preload/exports.map \
		-Wl,-z,now -Wl,-z,relro -Wl,-z,defs -Wl,--build-id -Wl,-soname,libscprof.so

# What the tool puts into stub objects: code that needs no linker, see chosen_early.c.
$(BUILD)/preload/selected/selected_early.o: PRELOAD_CFLAGS += -mgeneral-regs-only -fno-toplevel-reorder -fcf-protection=none \
	-fno-jump-tables -fomit-frame-pointer -fno-asynchronous-unwind-tables -g0
$(BUILD)/preload/selected/selected_early.inc: $(if $(filter x86_64,$(ARCH)),$(BUILD)/preload/selected/selected_early.o)
	@mkdir -p $(@D)
	$(if $<,scripts/embed_code.sh $<,echo 0) > $@.new && mv $@.new $@
