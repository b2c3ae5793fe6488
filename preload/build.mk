# SPDX-License-Identifier: Apache-2.0
ARCH ?= $(shell $(CC) -dumpmachine | cut -d- -f1)

PRELOAD_SRC = \
	preload/arena.c \
	preload/batch.c \
	preload/below.c \
	preload/below_search.c \
	preload/call.c \
	preload/chosen.c \
	preload/clock.c \
	preload/control.c \
	preload/fd_kind.c \
	preload/file.c \
	preload/filter.c \
	preload/function.c \
	preload/glob.c \
	preload/hooks.c \
	preload/lifecycle.c \
	preload/memo.c \
	preload/modules.c \
	preload/phase.c \
	preload/overhead.c \
	preload/overhead_rounds.c \
	preload/overhead_stats.c \
	preload/process.c \
	preload/start_name.c \
	preload/reexec.c \
	preload/reexec_ask.c \
	preload/region.c \
	preload/region_api.c \
	preload/region_filter.c \
	preload/region_functions.c \
	preload/region_name.c \
	preload/sandbox.c \
	preload/settings.c \
	preload/slowest.c \
	preload/slowest_settings.c \
	preload/stack.c \
	preload/start.c \
	preload/table.c \
	preload/thread.c \
	preload/unwind.c \
	preload/unwind_cfi.c \
	preload/unwind_expr.c \
	preload/unwind_object.c \
	preload/version.c \
	preload/wrappers.c
PRELOAD_ASM = preload/arch/$(ARCH)/entry.S
ifeq ($(ARCH),x86_64)
PRELOAD_SRC += preload/chosen_call.c
PRELOAD_ASM += preload/arch/x86_64/chosen.S
# Arguments of chosen symbols stay in the vector registers while our code runs.
PRELOAD_ARCH_CFLAGS = -mgeneral-regs-only
endif

# What runs inside other people's programs: no floating point, no calls to string
# functions that the target may have replaced, small frames, TLS without allocation.
PRELOAD_CFLAGS = -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -Iinclude -Ipreload -Ipreload/arch/$(ARCH) \
	-fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-omit-frame-pointer \
	-fasynchronous-unwind-tables -fno-stack-protector -U_FORTIFY_SOURCE \
	-fno-tree-loop-distribute-patterns -fno-tree-vectorize -fno-tree-slp-vectorize -Wframe-larger-than=1200 $(PRELOAD_ARCH_CFLAGS)

PRELOAD_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(PRELOAD_SRC)) $(patsubst %.S,$(BUILD)/%.o,$(PRELOAD_ASM))

# The exported symbols, from the one list.
$(BUILD)/preload/exports.txt: preload/wrappers.def
	@mkdir -p $(@D)
	$(CC) -E -P -x c -D'SCP_WRAP(ret, name, ...)=name;' -D'SCP_HOOK(name)=name;' -D'SCP_SERVE(name)=name;' $< | grep -v '^#' | tr ';' '\n' | \
		sed -n 's/^ *\([a-zA-Z_0-9]\{1,\}\) *$$/\1/p' | sort -u > $@

$(BUILD)/preload/exports.map: $(BUILD)/preload/exports.txt
	(echo '{ global:'; sed 's/$$/;/' $<; echo 'local: *; };') > $@

$(BUILD)/preload/version.o: PRELOAD_CFLAGS += -DSCPROF_VERSION_TEXT='"$(VERSION)"'
$(BUILD)/preload/version.o: cli/version.h

$(BUILD)/libscprof.so: $(PRELOAD_OBJ) $(BUILD)/preload/exports.map
	$(CC) -shared -o $@ $(PRELOAD_OBJ) -Wl,--version-script=$(BUILD)/preload/exports.map \
		-Wl,-z,now -Wl,-z,relro -Wl,-z,defs -Wl,--build-id -Wl,-soname,libscprof.so

# What the tool puts into stub objects: code that needs no linker, see chosen_early.c.
$(BUILD)/preload/chosen_early.o: PRELOAD_CFLAGS += -mgeneral-regs-only -fno-toplevel-reorder -fcf-protection=none \
	-fno-jump-tables -fomit-frame-pointer -fno-asynchronous-unwind-tables -g0
$(BUILD)/preload/chosen_early.inc: $(if $(filter x86_64,$(ARCH)),$(BUILD)/preload/chosen_early.o)
	@mkdir -p $(@D)
	$(if $<,scripts/embed_code.sh $<,echo 0) > $@.new && mv $@.new $@
