# SPDX-License-Identifier: GPL-3.0-or-later
# A unit test is one file tests/unit/ROOM/test_*.c, named after what it tests, and found by its name.
# It is linked with what it uses of tests/unit/support and of the tool; exceptions follow.
UNIT_TESTS = $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/unit/*/test_*.c)))
# It knows x86_64's registers and calls.
UNIT_TESTS := $(if $(filter-out x86_64,$(ARCH)),$(filter-out %/collector/test_safe_point %/collector/test_sample_python %/collector/test_sample_spaces %/collector/test_sample_walk,$(UNIT_TESTS)),$(UNIT_TESTS))
UNIT_SUPPORT = $(BUILD)/libunit_support.a
$(eval $(call static_library,unit_support,$(wildcard tests/unit/support/*.c)))

# Parts of the library, without its wrappers: the test's own calls are not to be recorded.
PRELOAD_UNIT_TESTS = $(filter $(BUILD)/tests/unit/preload/%,$(UNIT_TESTS))
$(eval $(call static_library,preload_parts,preload/call/follower.c $(filter-out preload/call/% preload/region/% preload/interpose/%,$(PRELOAD_SRC))))

# libunwind is compared with, in both its ways.
LIBUNWIND = $(if $(UNWIND_OBJECT),-lunwind-x86_64) -lunwind
$(BUILD)/tests/unit/preload/test_unwind: $(if $(UNWIND_OBJECT),$(BUILD)/preload/second/libunwind_walk.o)

# These find loaded objects.
WALKING = $(patsubst %,$(BUILD)/tests/unit/preload/test_%,modules python_code python_frames unwind unwind_chain walk)
$(WALKING): tests/unit/preload/find_objects.c
$(WALKING): FIND_OBJECTS = tests/unit/preload/find_objects.c

# test_unwind walks the stack of these: no sanitizer, as in the library.
$(PRELOAD_UNIT_TESTS): $(BUILD)/%: %.c $(BUILD)/libpreload_parts.a
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. -Ipreload/arch/$(ARCH) \
		-fno-omit-frame-pointer -fasynchronous-unwind-tables -o $@ $< $(FIND_OBJECTS) $(filter %.o,$^) $(filter %.a,$^) $(LIBUNWIND) -lcmocka -lm $(LIBC_PARTS)

RESOLVER = $(BUILD)/tests/unit/preload/resolver.so
$(RESOLVER): tests/unit/preload/resolver.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -fPIC -shared -o $@ $<
$(BUILD)/tests/unit/preload/test_symbols: WARN += -DRESOLVER='"$(abspath $(RESOLVER))"'
$(BUILD)/tests/unit/preload/test_symbols: | $(RESOLVER)

# Libraries whose functions are walked through. a and b are the same code with frames of another size.
WALKED = $(patsubst %,$(BUILD)/tests/unit/preload/walked_%.so,a b pointers)
$(BUILD)/tests/unit/preload/test_object_index: | $(WALKED)
WALKED_FREE = -fomit-frame-pointer $(if $(filter x86_64,$(ARCH)),-DWALKED_FREE)
WALKED_a = $(WALKED_FREE) -DWALKED_ROOM=48
WALKED_b = $(WALKED_FREE) -DWALKED_ROOM=96
WALKED_pointers = -fno-omit-frame-pointer -DWALKED_ROOM=48
$(WALKED): $(BUILD)/tests/unit/preload/walked_%.so: tests/unit/preload/walked.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I. $(WALKED_$*) -fPIC -shared -o $@ $< -Wl,-soname,$(@F)
$(BUILD)/tests/unit/preload/test_merge: $(BUILD)/preload/call/merge.o
$(BUILD)/tests/unit/preload/test_walk: $(patsubst %,$(BUILD)/preload/call/%.o,merge walk walk_rows full_walk) | $(WALKED)

# What interpreters export, of versions that are read and of two that are not.
MADE_PYTHONS = $(patsubst %,$(BUILD)/tests/unit/preload/libpython_made_%.so,7 8 9 10 11 12 13 14 15 16)
$(MADE_PYTHONS): $(BUILD)/tests/unit/preload/libpython_made_%.so: tests/unit/preload/made_python.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(DEPS) -DMINOR=$* -fPIC -shared -o $@ $< -Wl,-soname,$(@F)
$(BUILD)/tests/unit/preload/embeds_python.so: $(BUILD)/tests/unit/preload/libpython_made_12.so
	cp $< $@
$(BUILD)/tests/unit/preload/test_python_frames: WARN += -DMADE='"$(abspath $(BUILD))/tests/unit/preload"'
$(BUILD)/tests/unit/preload/test_python_frames: | $(MADE_PYTHONS) $(BUILD)/tests/unit/preload/embeds_python.so

$(BUILD)/tests/unit/preload/test_thread: $(patsubst %,$(BUILD)/preload/call/%.o,path_cache merge walk walk_rows full_walk call_begin call_end early) \
	$(patsubst %,$(BUILD)/preload/region/%.o,region region_api region_delay)
$(BUILD)/tests/unit/preload/test_memo: $(patsubst %,$(BUILD)/preload/call/%.o,merge walk walk_rows full_walk)
$(BUILD)/tests/unit/preload/test_call_find: $(BUILD)/preload/call/early.o

# The slow path, beside the fast one, which is inlined.
$(BUILD)/tests/unit/preload/test_call_fast: $(BUILD)/preload/call/call_end.o

$(filter-out $(PRELOAD_UNIT_TESTS),$(UNIT_TESTS)): %: %.o $(UNIT_SUPPORT) $(TOOL_ARCHIVES)
	$(CC) $(SAN) $(UNIT_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TOOL_LIBS) -lcmocka

UNIT = $(BUILD)/tests/unit
CFLAGS_tests_unit_report_test_text = -DGOLDEN_DIR='"$(CURDIR)/tests/unit/report/golden"'
CFLAGS_tests_unit_report_test_schema = -DSCHEMA='"$(CURDIR)/docs/scprof-report.schema.json"'
# Structures of every alignment are passed by value.
CFLAGS_tests_unit_collector_test_stack_arguments = -Wno-psabi
# The allocations of report/ and profile/ go through the test.
$(UNIT)/report/test_memory: UNIT_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
# The clock, and which profiles are read and reported, are the test's to say.
$(UNIT)/serve/test_shares: UNIT_LDFLAGS = -Wl,--wrap=clock_gettime,--wrap=source_load,--wrap=report_build
# How many files are opened is the test's to see.
$(UNIT)/serve/test_files: UNIT_LDFLAGS = -Wl,--wrap=source_open
# libmicrohttpd, and what is allocated, are the test's.
CFLAGS_tests_unit_serve_test_http = $(MICROHTTPD_CFLAGS)
$(UNIT)/serve/test_http: UNIT_LDFLAGS = -Wl,--wrap=dlopen,--wrap=dlsym,--wrap=dlerror,--wrap=calloc,--wrap=free
# Which directories are locked is the test's to watch.
# Time is made up.
$(UNIT)/collector/test_causal: UNIT_LDFLAGS = -Wl,--wrap=causal_state_now,--wrap=causal_state_wait,--wrap=causal_threads_stretch
# What of other processes is opened.
$(UNIT)/collector/test_causal_threads: UNIT_LDFLAGS = -Wl,--wrap=open
$(UNIT)/collector/test_bench_clock: UNIT_LDFLAGS = \
	-Wl,--wrap=clocks_read_source,--wrap=clock_gettime,--wrap=clocks_verdict_trusts_counter,--wrap=usleep
# Programs and library of this build, run by the test.
CFLAGS_tests_unit_profile_test_overhead_recorded = \
	-DPROGRAM='"$(abspath $(BUILD))/tests/programs/overhead_life"' -DLIBRARY='"$(abspath $(BUILD))/libscprof.so"'
$(UNIT)/profile/test_overhead_recorded: | $(BUILD)/libscprof.so $(BUILD)/tests/programs/overhead_life
# Where threads wait.
$(UNIT)/collector/constructor_waits.so: tests/unit/collector/constructor_waits.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -fPIC -shared -o $@ $<
$(UNIT)/collector/ours_calls.so: tests/unit/collector/ours_calls.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -fPIC -shared -o $@ $< -Wl,-soname,libscprof.so
$(UNIT)/collector/own_allocator: tests/unit/collector/own_allocator.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g $(WARN) $(DEPS) -fno-builtin -o $@ $<
CFLAGS_tests_unit_collector_test_safe_point_tables = -Ipreload/arch/$(ARCH)
CFLAGS_tests_unit_collector_test_dump_fd = -I$(BUILD) -Ipreload/arch/$(ARCH)
CFLAGS_tests_unit_collector_test_dump = -Ipreload/arch/$(ARCH)
$(BUILD)/tests/unit/collector/test_dump_fd.o: $(BUILD)/collector/dump/call_names.inc
CFLAGS_tests_unit_collector_test_safe_point = \
	-DCONSTRUCTOR_WAITS='"$(abspath $(UNIT))/collector/constructor_waits.so"' \
	-DOURS_CALLS='"$(abspath $(UNIT))/collector/ours_calls.so"' \
	-DOWN_ALLOCATOR='"$(abspath $(UNIT))/collector/own_allocator"'
$(UNIT)/collector/test_safe_point: | $(addprefix $(UNIT)/collector/,constructor_waits.so ours_calls.so) $(UNIT)/collector/own_allocator
# A program whose thread is borrowed, and a library that counts orders.
CFLAGS_tests_unit_collector_borrowing = -Ipreload/arch/$(ARCH) -DPROGRAM='"$(abspath $(BUILD))/tests/programs/borrowed"' \
	-DLIBRARY='"$(abspath $(BUILD))/tests/programs/counting/libscprof.so"'
CFLAGS_tests_unit_collector_test_sample_walk = -Ipreload/arch/$(ARCH) -fno-omit-frame-pointer
CFLAGS_tests_unit_collector_test_sample_spaces = -Ipreload/arch/$(ARCH)
CFLAGS_tests_unit_collector_test_sample_python = -Ipreload/arch/$(ARCH) -DMADE='"$(abspath $(UNIT))/preload"'
$(UNIT)/collector/test_sample_python: | $(UNIT)/preload/libpython_made_12.so
CFLAGS_tests_unit_collector_test_attach = -DCONSTRUCTOR_WAITS='"$(abspath $(UNIT))/collector/constructor_waits.so"'
$(UNIT)/collector/test_attach $(UNIT)/collector/test_attach_late: $(UNIT)/collector/borrowing.o
$(UNIT)/collector/test_attach $(UNIT)/collector/test_attach_late: | $(UNIT)/collector/constructor_waits.so $(BUILD)/tests/programs/borrowed $(BUILD)/tests/programs/counting/libscprof.so
CFLAGS_tests_unit_collector_test_refusal = -DLIBRARY='"$(abspath $(BUILD))/libscprof.so"'
CFLAGS_tests_unit_collector_test_copy_in = -DLIBRARY='"$(abspath $(BUILD))/libscprof.so"'
$(UNIT)/collector/test_refusal $(UNIT)/collector/test_copy_in: | $(BUILD)/libscprof.so
$(UNIT)/collector/test_seccomp_filter $(UNIT)/collector/test_refusal: UNIT_LDFLAGS = -Wl,--no-as-needed,-lseccomp
$(UNIT)/bench/test_coverage $(UNIT)/bench/test_heldout: $(filter-out %/main.o,$(COVERAGE_OBJ))

.PHONY: unit-run
unit-run: $(UNIT_TESTS)
	@tests/run --build $(BUILD) $(UNIT_TESTS)
