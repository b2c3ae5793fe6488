# SPDX-License-Identifier: GPL-3.0-or-later
# Target programs of the command tests: they know nothing of scprof. A source is a program of its
# name in $(PROGRAMS), whatever its room; what is built otherwise follows the list.
PROGRAMS = $(BUILD)/tests/programs
PROGRAM_CFLAGS = -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. -Iinclude -Itests/programs -Ipreload/arch/$(ARCH) $(PROGRAM_ARCH_CFLAGS)
PROGRAM_CXXFLAGS = -std=gnu++17 -O2 -g -Wall -Wextra -Werror $(DEPS) -I. -Iinclude -Itests/programs $(PROGRAM_ARCH_CFLAGS)

PROGRAM_ROOMS = attach calls causal filters paths processes regions states time
PROGRAM_SRC = $(filter-out %/counting.c %/slots.c %/slots_api.c %/slots_late.c %/plugin.c %/untabled.c %/untabled_lib.c %/regions_functions.c, \
	$(sort $(wildcard $(PROGRAM_ROOMS:%=tests/programs/%/*.c) $(PROGRAM_ROOMS:%=tests/programs/%/*.cc))))
LOADED_SRC = $(sort $(wildcard tests/programs/loaded/*.c))
SELECTED_PROGRAMS = chosen_lazy chosen_now chosen_nopie chosen_cxx chosen_late chosen_late_a.so chosen_late_b.so \
	chosen_plugin_a.so chosen_plugin_b.so started waiting waiting_plugin.so \
	stacked_known stacked_unknown
# One source, in each way that a reference to an absent library is linked; and hooks of functions.
REGION_PROGRAMS = regions_nopie regions_static regions_O0 regions_functions regions_own_hooks
# One source, in each way that a program is linked; its library has its slots in the test's hands.
SLOTS_PROGRAMS = slots_now slots_lazy slots_norelro slots_nopie slots_late.so slots/libscprof.so
TARGETS = $(addprefix $(PROGRAMS)/,$(basename $(notdir $(PROGRAM_SRC))) plugin_a.so plugin_b.so \
	$(notdir $(LOADED_SRC:.c=.so)) $(SELECTED_PROGRAMS) $(REGION_PROGRAMS) $(SLOTS_PROGRAMS) untabled_pointers untabled_debug)

# Functions of the same code must stay apart.
PROGRAM_FLAGS_filters = -fno-ipa-icf
PROGRAM_FLAGS_filters_cxx = -fno-ipa-icf
PROGRAM_FLAGS_paths = -fno-ipa-icf
PROGRAM_FLAGS_sizes = -fno-ipa-icf
# Overflows are this one's purpose; the compiler must not object.
PROGRAM_FLAGS_fortify = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -Wno-error
# The oldest language that scprof.h speaks.
PROGRAM_FLAGS_regions_cxx = -std=gnu++11 -Wpedantic
# A lazy binding saves all vector registers: more than the small stack holds.
PROGRAM_LIBS_small_altstack = -Wl,-z,now
PROGRAM_LIBS_forked_locked = -Wl,-z,relro,-z,now,--export-dynamic
PROGRAM_LIBS_no_vdso = -Wl,--export-dynamic
PROGRAM_LIBS_preserves = -lm
PROGRAM_LIBS_bare_entry = -nostartfiles
PROGRAM_LIBS_far_segment = -no-pie -Wl,--section-start=.far=0x8000000
# A table of absolute addresses among its data.
PROGRAM_LIBS_val_offset = -no-pie
PROGRAM_LIBS_uses_libunwind = -lunwind
PROGRAM_LIBS_stubs = $(PROGRAMS)/chosen_lib.so -Wl,-rpath,'$$ORIGIN'

# Before glibc 2.34 these are libraries of their own.
LIBC_PARTS = -lpthread -Wl,--push-state,--as-needed -ldl -lrt -Wl,--pop-state
compile_program = $(if $(filter %.cc,$<),$(CXX) $(PROGRAM_CXXFLAGS),$(CC) $(PROGRAM_CFLAGS))
define target_program # source
$(PROGRAMS)/$(basename $(notdir $(1))): $(1)
	@mkdir -p $$(@D)
	$$(compile_program) $$(PROGRAM_FLAGS_$$(@F)) -o $$@ $$< $$(PROGRAM_LIBS_$$(@F)) $(LIBC_PARTS)
endef
$(foreach source,$(PROGRAM_SRC),$(eval $(call target_program,$(source))))
$(PROGRAMS)/stubs: $(PROGRAMS)/chosen_lib.so

$(PROGRAMS)/plugin_a.so: PLUGIN = -DPLUGIN_ENTRY=plugin_a -DPLUGIN_ROOM=64
$(PROGRAMS)/plugin_b.so: PLUGIN = -DPLUGIN_ENTRY=plugin_b -DPLUGIN_ROOM=256
$(PROGRAMS)/plugin_%.so: tests/programs/paths/plugin.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) $(PLUGIN) -fPIC -shared -o $@ $<

# Java's programs, where there is a compiler.
JAVA_SRC = $(if $(shell command -v javac),tests/programs/runtimes/Catches.java $(wildcard tests/programs/*/Reply.java) tests/bench/attach/targets/Server.java)
JAVA_CLASSES = $(if $(JAVA_SRC),$(PROGRAMS)/java/Server.class)
$(JAVA_CLASSES): $(JAVA_SRC)
	@mkdir -p $(@D)
	javac -d $(@D) $^

# Code without .eh_frame: with frame pointers, and with .debug_frame instead.
UNTABLED_pointers = -fno-omit-frame-pointer
UNTABLED_debug = -fomit-frame-pointer
$(addprefix $(PROGRAMS)/untabled_lib_,pointers.so debug.so): $(PROGRAMS)/untabled_lib_%.so: tests/programs/paths/untabled_lib.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) $(UNTABLED_$*) -fno-asynchronous-unwind-tables -fno-unwind-tables -fPIC -shared -o $@ $< \
		-Wl,-soname,$(@F)

$(addprefix $(PROGRAMS)/untabled_,pointers debug): $(PROGRAMS)/untabled_%: tests/programs/paths/untabled.c $(PROGRAMS)/untabled_lib_%.so
	$(CC) $(PROGRAM_CFLAGS) -o $@ $(filter-out %.h,$^) -Wl,-rpath,'$$ORIGIN'

# It stands in for the library, by its name.
$(PROGRAMS)/counting/libscprof.so: tests/programs/attach/counting.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -I. -fPIC -shared -o $@ $<

# What a test has loaded into a program.
$(addprefix $(PROGRAMS)/,$(notdir $(LOADED_SRC:.c=.so))): $(PROGRAMS)/%.so: tests/programs/loaded/%.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -fPIC -shared -o $@ $<

# Functions to select (`run -s`): a library with versions and an IFUNC, in C and in C++,
# bound in each way that linkers know.
$(PROGRAMS)/chosen_lib.so: tests/programs/selected/chosen_lib.c tests/programs/selected/chosen_lib.map
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -Wno-psabi -fPIC -shared -o $@ $< $(CHOSEN_LIB_LDFLAGS) -Wl,-soname,chosen_lib.so \
		-Wl,--version-script=tests/programs/selected/chosen_lib.map 2>$@.warnings || { cat $@.warnings; false; }

SELECTED_LINK_lazy = -Wl,-z,lazy
SELECTED_LINK_now = -fno-plt -Wl,-z,now -Wl,-z,relro
SELECTED_LINK_nopie = -no-pie -Wl,-z,lazy
$(addprefix $(PROGRAMS)/chosen_,lazy now nopie): $(PROGRAMS)/chosen_%: tests/programs/selected/chosen.c $(PROGRAMS)/chosen_lib.so
	$(CC) $(PROGRAM_CFLAGS) -Wno-psabi -o $@ $(filter-out %.h,$^) $(SELECTED_LINK_$*) -Wl,-rpath,'$$ORIGIN' -lpthread

$(PROGRAMS)/started_lib.so: tests/programs/selected/started_lib.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -fPIC -shared -o $@ $< -Wl,-soname,started_lib.so

$(PROGRAMS)/started: tests/programs/selected/started.c $(PROGRAMS)/started_lib.so
	$(CC) $(PROGRAM_CFLAGS) -o $@ $(filter-out %.h,$^) -Wl,-rpath,'$$ORIGIN'

$(PROGRAMS)/chosen_cxx_lib.so: tests/programs/selected/chosen_cxx_lib.cc
	@mkdir -p $(@D)
	$(CXX) $(PROGRAM_CXXFLAGS) -fPIC -shared -o $@ $< -Wl,-soname,chosen_cxx_lib.so

$(PROGRAMS)/chosen_cxx: tests/programs/selected/chosen_cxx.cc $(PROGRAMS)/chosen_cxx_lib.so
	$(CXX) $(PROGRAM_CXXFLAGS) -o $@ $(filter-out %.h,$^) -Wl,-rpath,'$$ORIGIN' -lpthread

# The same library, with debug information and without.
STACKED_FLAGS_unknown = -g0
$(PROGRAMS)/stacked_lib_%.so: tests/programs/selected/stacked_lib.cc tests/programs/selected/stacked.h
	@mkdir -p $(@D)
	$(CXX) $(PROGRAM_CXXFLAGS) $(STACKED_FLAGS_$*) -Wno-psabi -fPIC -shared -o $@ $< -Wl,-soname,$(@F)

$(addprefix $(PROGRAMS)/stacked_,known unknown): $(PROGRAMS)/stacked_%: tests/programs/selected/stacked.cc $(PROGRAMS)/stacked_lib_%.so
	$(CXX) $(PROGRAM_CXXFLAGS) -Wno-psabi -o $@ $(filter-out %.h,$^) -Wl,-rpath,'$$ORIGIN' -lpthread

$(addprefix $(PROGRAMS)/,chosen_late waiting): $(PROGRAMS)/%: tests/programs/selected/%.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -o $@ $< $(LIBC_PARTS)

$(PROGRAMS)/waiting_plugin.so: tests/programs/selected/waiting.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -DPLUGIN -fPIC -shared -o $@ $< $(LIBC_PARTS)

# Two plugins, each with a library of its own that has late_function.
$(PROGRAMS)/chosen_late_a.so: LATE = -DLATE_FACTOR=3
$(PROGRAMS)/chosen_late_b.so: LATE = -DLATE_FACTOR=5
$(PROGRAMS)/chosen_late_%.so: tests/programs/selected/chosen_plugin.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) $(LATE) -fPIC -shared -o $@ $< -Wl,-soname,$(@F)

$(PROGRAMS)/chosen_plugin_%.so: tests/programs/selected/chosen_plugin.c $(PROGRAMS)/chosen_late_%.so
	$(CC) $(PROGRAM_CFLAGS) -DPLUGIN -fPIC -shared -o $@ $(filter-out %.h,$^) -Wl,-rpath,'$$ORIGIN'

# Decodes line tables as the library does.
TARGETS += $(PROGRAMS)/check_lines
$(PROGRAMS)/check_lines: tests/programs/python/check_lines.c $(BUILD)/preload/python/python_table.o
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -o $@ $(filter-out %.h,$^)

# The library's offsets into an interpreter's structures.
TARGETS += $(PROGRAMS)/show_layout
$(PROGRAMS)/show_layout: tests/programs/python/show_layout.c $(BUILD)/preload/python/python_layout.o
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -o $@ $(filter-out %.h,$^)

REGION_FLAGS_regions_nopie = -fno-pie -no-pie
REGION_FLAGS_regions_static = -static
REGION_FLAGS_regions_O0 = -O0
$(addprefix $(PROGRAMS)/,regions_nopie regions_static regions_O0): $(PROGRAMS)/%: tests/programs/regions/regions.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) $(REGION_FLAGS_$*) -o $@ $< -lpthread

$(PROGRAMS)/regions_functions $(PROGRAMS)/regions_own_hooks: tests/programs/regions/regions_functions.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -Wmissing-prototypes,$(PROGRAM_CFLAGS)) -finstrument-functions \
		$(if $(findstring own_hooks,$@),-DOWN_HOOKS) -o $@ $<

SLOTS_LINK_now = -fno-plt -Wl,-z,now -Wl,-z,relro
SLOTS_LINK_lazy = -Wl,-z,lazy -Wl,-z,relro
SLOTS_LINK_norelro = -Wl,-z,lazy -Wl,-z,norelro
SLOTS_LINK_nopie = -fno-pie -no-pie -Wl,-z,lazy
$(addprefix $(PROGRAMS)/slots_,now lazy norelro nopie): $(PROGRAMS)/slots_%: tests/programs/attach/slots.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) $(SLOTS_LINK_$*) -o $@ $< $(LIBC_PARTS)

$(PROGRAMS)/slots_late.so: tests/programs/attach/slots_late.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -fPIC -shared -o $@ $< -Wl,-z,lazy

$(PROGRAMS)/slots/libscprof.so: tests/programs/attach/slots_api.c $(PRELOAD_OBJ) $(BUILD)/preload/exports.map
	@mkdir -p $(@D)
	sed 's/global:/global: slots_test_*;/' $(BUILD)/preload/exports.map > $@.map
	$(CC) $(PROGRAM_CFLAGS) -fPIC -fvisibility=hidden -shared -o $@ $< $(PRELOAD_OBJ) \
		-Wl,--version-script=$@.map -Wl,-z,now -Wl,-z,relro -Wl,-z,defs -Wl,-soname,libscprof.so

# For AArch64, where a cross compiler is at hand; qemu-user runs them (tests/commands/selected/aarch64.bats). A second time
# with signed return addresses and landing pads (BTI): checked in the two libraries, whose startup files
# need none, whatever the toolchain's own were built with. The linker warns of those.
CROSS = aarch64-linux-gnu-
AARCH64_PROGRAMS = $(addprefix $(PROGRAMS)/,chosen_lazy chosen_now chosen_nopie chosen_cxx chosen_late \
	chosen_late_a.so chosen_late_b.so chosen_plugin_a.so chosen_plugin_b.so stacked_known stacked_unknown early frames by_number)
PROTECTED = PROGRAM_ARCH_CFLAGS=-mbranch-protection=standard CHOSEN_LIB_LDFLAGS='-nostartfiles -Wl,-z,force-bti'

.PHONY: aarch64 aarch64-programs
ifneq ($(ARCH),aarch64)
tests: $(if $(shell command -v $(CROSS)g++),aarch64)
endif
aarch64:
	@$(MAKE) --no-print-directory ARCH=aarch64 CC=$(CROSS)gcc CXX=$(CROSS)g++ SAN= BUILD=$(BUILD)/aarch64 \
		$(BUILD)/aarch64/libscprof.so $(BUILD)/aarch64/tests/libscprof_bti.so aarch64-programs
	@$(MAKE) --no-print-directory ARCH=aarch64 CC=$(CROSS)gcc CXX=$(CROSS)g++ SAN= BUILD=$(BUILD)/aarch64/protected $(PROTECTED) \
		aarch64-programs
aarch64-programs: $(AARCH64_PROGRAMS)

$(BUILD)/tests/libscprof_bti.so: $(PRELOAD_OBJ) $(BUILD)/preload/exports.map
	@mkdir -p $(@D)
	$(CC) -shared -o $@ $(PRELOAD_OBJ) -Wl,--version-script=$(BUILD)/preload/exports.map -Wl,-z,now,-z,relro,-z,defs \
		-Wl,-soname,libscprof.so -nostartfiles -Wl,--defsym,__dso_handle=0 \
		-Wl,-z,force-bti 2>$@.warnings || { cat $@.warnings; false; }

$(PROGRAMS)/frames: tests/programs/aarch64/frames.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -o $@ $<

$(PROGRAMS)/early.so: tests/programs/selected/ifunc.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -Wno-attribute-alias -Wl,-z,now -DLIBRARY -fPIC -shared -o $@ $< -Wl,-soname,early.so

$(PROGRAMS)/early: tests/programs/selected/ifunc.c $(PROGRAMS)/early.so
	$(CC) $(PROGRAM_CFLAGS) -Wno-attribute-alias -Wl,-z,now -o $@ $(filter-out %.h,$^) -Wl,-rpath,'$$ORIGIN'
