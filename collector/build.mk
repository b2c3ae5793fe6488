# SPDX-License-Identifier: GPL-3.0-or-later
# The counter's rules are one file an architecture.
COLLECTOR_MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
COLLECTOR_ARCH := $(firstword $(subst -, ,$(COLLECTOR_MACHINE)))
COLLECTOR_MULTIARCH := $(or $(shell $(CC) -print-multiarch 2>/dev/null),$(COLLECTOR_MACHINE))

# Tracing is for one architecture.
COLLECTOR_ATTACH_x86_64 = $(addprefix collector/attach/,attach_calls.c attach_rights.c attach_state.c remote.c remote_call.c remote_library.c sigframe_x86_64.c)

COLLECTOR_SRC = \
	collector/attach/safe_point.c \
	collector/attach/safe_point_bytes.c \
	collector/attach/safe_point_cfi.c \
	collector/attach/safe_point_expression.c \
	collector/attach/safe_point_frames.c \
	collector/attach/safe_point_inside.c \
	collector/attach/safe_point_machine_$(COLLECTOR_ARCH).c \
	collector/attach/safe_point_maps.c \
	collector/attach/safe_point_memory.c \
	collector/attach/safe_point_names.c \
	collector/attach/safe_point_objects.c \
	collector/attach/safe_point_symbols.c \
	collector/attach/safe_point_threads.c \
	collector/attach/attach.c \
	collector/attach/attach_work_$(COLLECTOR_ARCH).c \
	$(COLLECTOR_ATTACH_$(COLLECTOR_ARCH)) \
	collector/clocks/clock_ways_$(COLLECTOR_ARCH).c \
	collector/clocks/clock_costs.c \
	collector/clocks/clock_ways.c \
	collector/clocks/clocks.c \
	collector/clocks/clocks_cpus.c \
	collector/clocks/clocks_drift.c \
	collector/clocks/clocks_late.c \
	collector/clocks/clocks_measure.c \
	collector/clocks/clocks_read.c \
	collector/clocks/clocks_steps.c \
	collector/clocks/clocks_ticks.c \
	collector/clocks/clocks_verdict.c \
	collector/clocks/clocks_watch.c \
	collector/clocks/rounds.c \
	collector/clocks/ticker.c \
	collector/clocks/ticker_cost.c \
	collector/clocks/counter_$(COLLECTOR_ARCH).c \
	collector/displacement/displace.c \
	collector/displacement/displace_account.c \
	collector/displacement/displace_confirm.c \
	collector/displacement/displace_kinds.c \
	collector/displacement/cpu_load.c \
	collector/displacement/displace_others.c \
	collector/displacement/displace_idle.c \
	collector/displacement/displace_run.c \
	collector/displacement/displace_sample.c \
	collector/displacement/displace_summary.c \
	collector/displacement/displace_switch.c \
	collector/displacement/displace_warnings.c \
	collector/displacement/displace_windows.c \
	collector/displacement/fluid/fluid.c \
	collector/displacement/fluid/fluid_group.c \
	collector/displacement/fluid/fluid_guard.c \
	collector/displacement/fluid/fluid_keeper.c \
	collector/displacement/fluid/fluid_loop.c \
	collector/displacement/fluid/fluid_thread.c \
	collector/displacement/fluid/sched_group.c \
	collector/displacement/sites/site_clocks.c \
	collector/displacement/sites/site_costs_run.c \
	collector/displacement/sites/site_index.c \
	collector/displacement/sites/site_samples.c \
	collector/displacement/wall_method.c \
	collector/displacement/wall_method_errors.c \
	collector/displacement/wall_method_fluid.c \
	collector/doctor/doctor.c \
	collector/doctor/doctor_check.c \
	collector/doctor/doctor_clocks.c \
	collector/doctor/doctor_cpus.c \
	collector/doctor/doctor_files.c \
	collector/doctor/doctor_kernel.c \
	collector/doctor/doctor_library.c \
	collector/doctor/doctor_program.c \
	collector/doctor/doctor_trial.c \
	collector/duration.c \
	collector/launch/elf_facts.c \
	collector/launch/ends.c \
	collector/launch/environment.c \
	collector/launch/gather.c \
	collector/launch/launch.c \
	collector/launch/leftovers.c \
	collector/launch/library_path.c \
	collector/launch/program.c \
	collector/launch/program_find.c \
	collector/launch/program_notice.c \
	collector/launch/recording_control.c \
	collector/launch/run_directory.c \
	collector/launch/signal_wait.c \
	collector/launch/stragglers.c \
	collector/launch/survivors.c \
	collector/machine/cpu_times.c \
	collector/machine/cpus.c \
	collector/machine/kernel_file.c \
	collector/machine/quota.c \
	collector/machine/reschedules.c \
	collector/machine/task_clock.c \
	collector/machine/tasks.c \
	collector/machine/taskstats.c \
	collector/microbench/bench.c \
	collector/microbench/bench_arguments.c \
	collector/microbench/bench_call.c \
	collector/microbench/bench_command.c \
	collector/microbench/bench_empty.c \
	collector/microbench/bench_function.c \
	collector/microbench/bench_measure.c \
	collector/microbench/bench_subject.c \
	collector/microbench/bench_summary.c \
	collector/microbench/bench_warnings.c \
	collector/select/below.c \
	collector/select/below_symbols.c \
	collector/select/below_write.c \
	collector/select/exports.c \
	collector/select/library_closure.c \
	collector/select/library_needed.c \
	collector/select/refused_functions.c \
	collector/select/selection.c \
	collector/select/selection_groups.c \
	collector/select/stack_arguments.c \
	collector/select/stack_names.c \
	collector/select/stack_types.c \
	collector/select/stub_code.c \
	collector/select/stub_image.c \
	collector/select/stub_object.c \
	collector/select/stub_symbols.c \
	collector/select/symbol_pattern.c \
	collector/shared_page.c

CFLAGS_collector_launch_library_path = -DCOLLECTOR_MULTIARCH='"$(COLLECTOR_MULTIARCH)"'
