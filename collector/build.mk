# SPDX-License-Identifier: GPL-3.0-or-later
# The processor decides what there is of tracing, and where libraries lie.
COLLECTOR_MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
COLLECTOR_ARCH := $(firstword $(subst -, ,$(COLLECTOR_MACHINE)))
COLLECTOR_MULTIARCH := $(or $(shell $(CC) -print-multiarch 2>/dev/null),$(COLLECTOR_MACHINE))

# Tracing is for one architecture.
COLLECTOR_ATTACH_x86_64 = \
	$(addprefix collector/attach/,attach_borrow.c attach_calls.c attach_filters.c attach_sample.c attach_state.c attach_work_x86_64.c) \
	$(addprefix collector/attach/remote/,remote.c remote_call.c remote_ground.c remote_stop.c remote_wait.c sigframe_x86_64.c)

# The core of the library's unwinder, for the tool.
COLLECTOR_UNWIND = $(addprefix $(BUILD)/collector/attach/safe_point/unwind_,cfi.o expr.o row.o)
$(COLLECTOR_UNWIND): $(BUILD)/collector/attach/safe_point/%.o: preload/unwind/%.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -Ipreload/arch/$(ARCH) -c -o $@ $<
COLLECTOR_PYTHON = $(addprefix $(BUILD)/collector/python/python_,layout.o table.o)
$(COLLECTOR_PYTHON): $(BUILD)/collector/python/%.o: preload/python/%.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -Ipreload/arch/$(ARCH) -c -o $@ $<
# Names of system calls by number, as the kernel's headers have them.
$(BUILD)/collector/dump/call_names.inc:
	@mkdir -p $(@D)
	echo '#include <sys/syscall.h>' | $(CC) -E -dM - | sed -nE 's/^#define __NR_([a-z0-9_]+) ([0-9]+)$$/[\2] = "\1",/p' >$@
$(BUILD)/collector/dump/dump_fd.o: $(BUILD)/collector/dump/call_names.inc
$(BUILD)/collector/dump/dump_fd.o: TOOL_CFLAGS += -I$(BUILD)
$(addprefix $(BUILD)/collector/attach/,attach_state.o) \
$(addprefix $(BUILD)/collector/attach/safe_point/,frames.o inside.o machine_$(ARCH).o memory.o objects.o safe_points.o symbols.o) \
$(addprefix $(BUILD)/collector/sample/,chain.o counts.o image.o python.o python_code.o sample_events.o sampler.o save.o space.o walk.o) \
$(addprefix $(BUILD)/collector/dump/,dump.o dump_fd.o dump_stack.o) $(addprefix $(BUILD)/collector/python/,interpreter.o interpreter_loop.o): \
	TOOL_CFLAGS += -Ipreload/arch/$(ARCH)

COLLECTOR_SRC = \
	$(COLLECTOR_UNWIND) \
	$(COLLECTOR_PYTHON) \
	$(addprefix collector/sample/,chain.c counts.c image.c python.c python_code.c sample_events.c sampler.c save.c space.c walk.c) \
	$(addprefix collector/dump/,dump.c dump_fd.c dump_stack.c) $(addprefix collector/python/,interpreter.c interpreter_loop.c) \
	$(addprefix collector/attach/safe_point/,frames.c inside.c machine_$(COLLECTOR_ARCH).c memory.c objects.c safe_points.c symbols.c threads.c) \
	$(addprefix collector/attach/target/,as_user.c relatives.c seccomp_filter.c wake.c) \
	$(addprefix collector/attach/refusal/,refusal.c refusal_process.c) \
	collector/attach/attach.c \
	$(COLLECTOR_ATTACH_$(COLLECTOR_ARCH)) \
	collector/attach/copy_in.c \
	collector/causal/causal.c \
	collector/causal/causal_budget.c \
	collector/causal/causal_counts.c \
	collector/causal/causal_design.c \
	collector/causal/causal_pilot.c \
	collector/causal/causal_page.c \
	collector/causal/causal_state.c \
	collector/causal/causal_threads.c \
	collector/causal/causal_windows.c \
	collector/causal/causal_page.c \
	collector/clocks/clock_costs.c \
	collector/clocks/clocks.c \
	collector/clocks/clocks_cpus.c \
	collector/clocks/clocks_drift.c \
	collector/clocks/clocks_read.c \
	collector/clocks/clocks_ticks.c \
	collector/clocks/clocks_verdict.c \
	collector/clocks/clocks_watch.c \
	collector/clocks/ticker.c \
	collector/displacement/displacement.c \
	collector/displacement/displacement_account.c \
	collector/displacement/displacement_idle.c \
	collector/displacement/displacement_run.c \
	collector/displacement/displacement_sample.c \
	collector/displacement/displacement_summary.c \
	collector/displacement/displacement_switch.c \
	collector/displacement/displacement_windows.c \
	collector/displacement/fluid/fluid.c \
	collector/displacement/fluid/fluid_group.c \
	collector/displacement/fluid/fluid_thread.c \
	collector/displacement/sites/site_costs_run.c \
	collector/displacement/sites/site_dither.c \
	collector/displacement/sites/site_index.c \
	collector/displacement/sites/site_samples.c \
	collector/doctor/doctor_check.c \
	collector/doctor/doctor_kernel.c \
	collector/doctor/doctor_library.c \
	collector/doctor/doctor_program.c \
	collector/duration.c \
	collector/launch/elf_facts.c \
	collector/launch/environment.c \
	collector/launch/gather.c \
	collector/launch/launch.c \
	collector/launch/program.c \
	collector/launch/program_find.c \
	collector/launch/recording_control.c \
	collector/launch/run_directory.c \
	collector/launch/survivors.c \
	collector/machine/cpu_times.c \
	collector/machine/cpus.c \
	collector/machine/tasks.c \
	collector/machine/taskstats.c \
	collector/bench/bench.c \
	collector/bench/bench_arguments.c \
	collector/bench/bench_command.c \
	collector/bench/bench_function.c \
	collector/bench/bench_measure.c \
	collector/bench/bench_summary.c \
	collector/select/exports.c \
	collector/select/library_closure.c \
	collector/select/selection.c \
	collector/select/stack_arguments.c \
	collector/select/stack_types.c \
	collector/select/stub_object.c \
	collector/select/stub_symbols.c \
	collector/shared_page.c

CFLAGS_collector_launch_environment = -DCOLLECTOR_MULTIARCH='"$(COLLECTOR_MULTIARCH)"'
