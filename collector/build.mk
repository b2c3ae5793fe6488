# SPDX-License-Identifier: GPL-3.0-or-later
# The counter's rules are one file an architecture.
COLLECTOR_MACHINE := $(shell $(CC) -dumpmachine)
COLLECTOR_ARCH := $(firstword $(subst -, ,$(COLLECTOR_MACHINE)))
COLLECTOR_MULTIARCH := $(or $(shell $(CC) -print-multiarch 2>/dev/null),$(COLLECTOR_MACHINE))

COLLECTOR_SRC = \
	collector/clock_ways.c \
	collector/clock_ways_all.c \
	collector/clock_ways_$(COLLECTOR_ARCH).c \
	collector/below.c \
	collector/below_symbols.c \
	collector/below_write.c \
	collector/bench.c \
	collector/bench_arguments.c \
	collector/bench_call.c \
	collector/bench_child.c \
	collector/bench_command.c \
	collector/bench_empty.c \
	collector/bench_function.c \
	collector/bench_measure.c \
	collector/bench_summary.c \
	collector/bench_warnings.c \
	collector/chosen.c \
	collector/chosen_groups.c \
	collector/chosen_object.c \
	collector/chosen_object_symbols.c \
	collector/chosen_pattern.c \
	collector/chosen_refuse.c \
	collector/clocks.c \
	collector/clocks_cpus.c \
	collector/clocks_drift.c \
	collector/clocks_late.c \
	collector/clocks_measure.c \
	collector/clocks_read.c \
	collector/clocks_steps.c \
	collector/clocks_ticks.c \
	collector/clocks_verdict.c \
	collector/clocks_watch.c \
	collector/counter_$(COLLECTOR_ARCH).c \
	collector/cpu_times.c \
	collector/cpu_usage.c \
	collector/cpus.c \
	collector/displace.c \
	collector/displace_account.c \
	collector/displace_confirm.c \
	collector/displace_load.c \
	collector/displace_others.c \
	collector/displace_rests.c \
	collector/displace_run.c \
	collector/displace_sample.c \
	collector/displace_summary.c \
	collector/displace_switch.c \
	collector/displace_warnings.c \
	collector/displace_windows.c \
	collector/ending.c \
	collector/wall.c \
	collector/wall_errors.c \
	collector/wall_fluid.c \
	collector/doctor.c \
	collector/doctor_clocks.c \
	collector/doctor_cpus.c \
	collector/doctor_files.c \
	collector/doctor_kernel.c \
	collector/doctor_library.c \
	collector/doctor_program.c \
	collector/duration.c \
	collector/elf_facts.c \
	collector/closure.c \
	collector/environment.c \
	collector/exports.c \
	collector/fluid.c \
	collector/fluid_group.c \
	collector/fluid_guard.c \
	collector/fluid_keeper.c \
	collector/fluid_loop.c \
	collector/fluid_thread.c \
	collector/gather.c \
	collector/launch.c \
	collector/library_path.c \
	collector/program.c \
	collector/program_find.c \
	collector/program_notice.c \
	collector/quota.c \
	collector/random.c \
	collector/rounds.c \
	collector/rundir.c \
	collector/runfiles.c \
	collector/sched_group.c \
	collector/site_clocks.c \
	collector/site_costs_run.c \
	collector/site_index.c \
	collector/site_samples.c \
	collector/steal.c \
	collector/stragglers.c \
	collector/survivors.c \
	collector/task_clock.c \
	collector/tasks.c \
	collector/taskstats.c \
	collector/page.c \
	collector/ticker.c \
	collector/ticker_schedule.c \
	collector/windows.c

CFLAGS_collector_library_path = -DCOLLECTOR_MULTIARCH='"$(COLLECTOR_MULTIARCH)"'
CFLAGS_collector_chosen_object = -I$(BUILD)/preload
$(BUILD)/collector/chosen_object.o: $(BUILD)/preload/chosen_early.inc
