# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests come from tests/unit/*.mk, which add binaries to UNIT_TESTS.
# tests/programs: target programs for the command tests; they know nothing of
# scprof, and each is one source file.
-include $(wildcard tests/unit/*.mk) tests/formats/formats.mk

TARGET_PROGRAMS = \
	asynchronous \
	cancel \
	close_all \
	corners \
	coroutines \
	counter \
	daemon_twice \
	endings \
	exec_list \
	fd_reuse \
	filtered \
	forbid \
	fork_in_threads \
	fortify \
	generated \
	given_time \
	limits \
	longjmp_handler \
	loops \
	made_calls \
	made_ticks \
	many_calls \
	many_threads \
	named \
	new_paths \
	overhead_life \
	overwritten \
	paths \
	plugins \
	preserves \
	raw_fork \
	sandbox \
	sizes \
	slowest \
	small_altstack \
	spawn_chain \
	tick_paced \
	traffic \
	until_stopped \
	warms_up \
	uses_libunwind

PROGRAMS = $(BUILD)/tests/programs
CHOSEN_PROGRAMS = chosen_lazy chosen_now chosen_nopie chosen_cxx chosen_late chosen_plugin_a.so chosen_plugin_b.so started
# One source, in each way that a reference to an absent library is linked.
REGION_BUILDS = regions regions_nopie regions_static regions_O0
REGION_PROGRAMS = $(REGION_BUILDS) inner regions_cxx regions_functions regions_own_hooks
TARGETS = $(addprefix $(PROGRAMS)/,$(TARGET_PROGRAMS) sleeper exceptions plugin_a.so plugin_b.so measured.so made_clock.so getopt_spy.so stop_renderer.so hold_reading.so $(CHOSEN_PROGRAMS) $(REGION_PROGRAMS))
PROGRAM_CFLAGS = -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -Itests/programs

# Four functions of the same code must stay four.
PROGRAM_CFLAGS_paths = -fno-ipa-icf
PROGRAM_CFLAGS_sizes = -fno-ipa-icf
# Overflows are this one's purpose; the compiler must not object.
PROGRAM_CFLAGS_fortify = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -Wno-error
# A lazy binding saves all vector registers: more than the small stack holds.
PROGRAM_LIBS_small_altstack = -Wl,-z,now
PROGRAM_CFLAGS_made_ticks = -Iinclude
PROGRAM_CFLAGS_slowest = -Iinclude
PROGRAM_CFLAGS_overwritten = -Iinclude
PROGRAM_LIBS_overwritten = -ldl
PROGRAM_CFLAGS_until_stopped = -Iinclude
PROGRAM_LIBS_preserves = -lm
PROGRAM_LIBS_uses_libunwind = -lunwind

.PHONY: tests unit-run sanitize-run
tests: $(TARGETS) $(BUILD)/bench/calibrated_call $(BUILD)/bench/known_load $(UNIT_TESTS) $(BUILD)/tests/fuzz/mutate $(BUILD)/tests/unit/dump_entries examples

$(addprefix $(PROGRAMS)/,$(TARGET_PROGRAMS)): $(PROGRAMS)/%: tests/programs/%.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) $(PROGRAM_CFLAGS_$*) -o $@ $< $(PROGRAM_LIBS_$*) -lpthread

$(PROGRAMS)/sleeper: tests/serve/sleeper.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -o $@ $<

$(PROGRAMS)/exceptions: tests/programs/exceptions.cc
	@mkdir -p $(@D)
	$(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror $(DEPS) -Itests/programs -o $@ $< -lpthread

$(PROGRAMS)/plugin_a.so: PLUGIN = -DPLUGIN_ENTRY=plugin_a -DPLUGIN_ROOM=64
$(PROGRAMS)/plugin_b.so: PLUGIN = -DPLUGIN_ENTRY=plugin_b -DPLUGIN_ROOM=256
$(PROGRAMS)/plugin_%.so: tests/programs/plugin.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) $(PLUGIN) -fPIC -shared -o $@ $<

# What `scprof bench` measures.
$(PROGRAMS)/measured.so: tests/programs/measured.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -fPIC -shared -o $@ $<

# Time that passes only where a test says so.
$(PROGRAMS)/made_clock.so: tests/programs/made_clock.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -Iinclude -fPIC -shared -o $@ $<

# What options does the tool give to getopt?
$(PROGRAMS)/getopt_spy.so: tests/programs/getopt_spy.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -fPIC -shared -o $@ $<

$(PROGRAMS)/stop_renderer.so $(PROGRAMS)/hold_reading.so: $(PROGRAMS)/%.so: tests/serve/%.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -fPIC -shared -o $@ $<

# Functions to choose (`run -s`): a library with versions and an IFUNC, in C and in C++,
# bound in each way that linkers know.
$(PROGRAMS)/chosen_lib.so: tests/programs/chosen_lib.c tests/programs/chosen_lib.map
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -Wno-psabi -fPIC -shared -o $@ $< -Wl,-soname,chosen_lib.so \
		-Wl,--version-script=tests/programs/chosen_lib.map

CHOSEN_LINK_lazy = -Wl,-z,lazy
CHOSEN_LINK_now = -fno-plt -Wl,-z,now -Wl,-z,relro
CHOSEN_LINK_nopie = -no-pie -Wl,-z,lazy
$(addprefix $(PROGRAMS)/chosen_,lazy now nopie): $(PROGRAMS)/chosen_%: tests/programs/chosen.c $(PROGRAMS)/chosen_lib.so
	$(CC) $(PROGRAM_CFLAGS) -Wno-psabi -o $@ $^ $(CHOSEN_LINK_$*) -Wl,-rpath,'$$ORIGIN' -lpthread

$(PROGRAMS)/started_lib.so: tests/programs/started_lib.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -fPIC -shared -o $@ $< -Wl,-soname,started_lib.so

$(PROGRAMS)/started: tests/programs/started.c $(PROGRAMS)/started_lib.so
	$(CC) $(PROGRAM_CFLAGS) -o $@ $^ -Wl,-rpath,'$$ORIGIN'

$(PROGRAMS)/chosen_cxx_lib.so: tests/programs/chosen_cxx_lib.cc
	@mkdir -p $(@D)
	$(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror $(DEPS) -fPIC -shared -o $@ $< -Wl,-soname,chosen_cxx_lib.so

$(PROGRAMS)/chosen_cxx: tests/programs/chosen_cxx.cc $(PROGRAMS)/chosen_cxx_lib.so
	$(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror $(DEPS) -Itests/programs -o $@ $^ -Wl,-rpath,'$$ORIGIN' -lpthread

$(PROGRAMS)/chosen_late: tests/programs/chosen_late.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -o $@ $<

# Two plugins, each with a library of its own that has late_function.
$(PROGRAMS)/chosen_late_a.so: LATE = -DLATE_FACTOR=3
$(PROGRAMS)/chosen_late_b.so: LATE = -DLATE_FACTOR=5
$(PROGRAMS)/chosen_late_%.so: tests/programs/chosen_plugin.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) $(LATE) -fPIC -shared -o $@ $< -Wl,-soname,$(@F)

$(PROGRAMS)/chosen_plugin_%.so: tests/programs/chosen_plugin.c $(PROGRAMS)/chosen_late_%.so
	$(CC) $(PROGRAM_CFLAGS) -DPLUGIN -fPIC -shared -o $@ $^ -Wl,-rpath,'$$ORIGIN'

REGION_FLAGS_regions_nopie = -fno-pie -no-pie
REGION_FLAGS_regions_static = -static
REGION_FLAGS_regions_O0 = -O0
$(addprefix $(PROGRAMS)/,$(REGION_BUILDS)): $(PROGRAMS)/%: tests/programs/regions.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) $(REGION_FLAGS_$*) -Iinclude -o $@ $< -lpthread

$(PROGRAMS)/inner: tests/programs/inner.c
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_CFLAGS) -Iinclude -o $@ $<

$(PROGRAMS)/regions_cxx: tests/programs/regions_cxx.cc
	@mkdir -p $(@D)
	$(CXX) -std=gnu++11 -O2 -g -Wall -Wextra -Werror -Wpedantic $(DEPS) -Iinclude -o $@ $<

$(PROGRAMS)/regions_functions $(PROGRAMS)/regions_own_hooks: tests/programs/regions_functions.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -Wmissing-prototypes,$(PROGRAM_CFLAGS)) -finstrument-functions \
		$(if $(findstring own_hooks,$@),-DOWN_HOOKS) -o $@ $<

unit-run: $(UNIT_TESTS)
	@tests/run --build $(BUILD) $(UNIT_TESTS)

# The commands fed with damaged profiles.
$(BUILD)/tests/fuzz/mutate: $(BUILD)/tests/fuzz/mutate.o $(BUILD)/tests/fuzz/mutation.o $(BUILD)/tests/fuzz/mutant_commands.o \
		$(patsubst %.c,$(BUILD)/%.o,$(filter-out cli/main.c,$(CLI_SRC))) $(TOOL_ARCHIVES)
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS)

# Built with the sanitizers by `make sanitize`; the profile comes from the
# plain library, which runs in programs that have no sanitizer.
sanitize-run: $(UNIT_TESTS) $(BUILD)/scprof $(BUILD)/libscprof.so tests
	@tests/run --build $(BUILD) $(UNIT_TESTS) tests/commands/damaged.bats
