# SPDX-License-Identifier: GPL-3.0-or-later
# Programs to measure with; nothing here asserts.
BENCH = $(BUILD)/bench
BENCH_CFLAGS = -std=gnu11 -O2 -g $(WARN) $(DEPS) -D_GNU_SOURCE -I.

.PHONY: bench-programs
bench-programs: $(BENCH)/deep_call $(BENCH)/deep_call_pg $(BENCH)/deep_unwind $(BENCH)/calibrated_call \
	$(BENCH)/quiet_mean $(BENCH)/phase_p $(BENCH)/markers $(BENCH)/many_paths $(BENCH)/new_paths $(BENCH)/spawns $(BENCH)/known_load $(BENCH)/live_paths \
	$(BENCH)/known_states $(BENCH)/short_threads $(BENCH)/switches $(BENCH)/known_paths $(BENCH)/known_paths_unwind $(BENCH)/random_paths \
	$(BENCH)/profile_counts $(BENCH)/short_calls $(BENCH)/nested_calls $(BENCH)/warmup_laws $(BENCH)/dither_design $(BENCH)/safe_points $(BENCH)/attach_calls

# The empty function: an object of its own, so that the call is a dynamic one.
$(BENCH)/libempty.so: bench/empty.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/deep_call: bench/deep_call.c $(BENCH)/libempty.so
	$(CC) $(BENCH_CFLAGS) -o $@ $< -L$(BENCH) -lempty -Wl,-rpath,'$$ORIGIN' -lpthread

# The same, function and all, rebuilt as gprof wants it (docs/performance.md).
$(BENCH)/deep_call_pg: bench/deep_call.c bench/empty.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -pg -o $@ $^ -lpthread

# The same stack, unwound by libunwind; apart, because linking it changes a program.
$(BENCH)/deep_unwind: bench/deep_call.c $(BENCH)/libempty.so
	$(CC) $(BENCH_CFLAGS) -DWITH_LIBUNWIND -o $@ $< -L$(BENCH) -lempty -lunwind \
		-Wl,-rpath,'$$ORIGIN' -lpthread

# Functions of known duration, the program that calls them, and what reads its profile
# (docs/estimates.md).
$(BENCH)/libcalibrated.so: bench/calibrated.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/calibrated_call: bench/calibrated_call.c $(BENCH)/libcalibrated.so
	$(CC) $(BENCH_CFLAGS) -fno-ipa-icf -o $@ $< -L$(BENCH) -lcalibrated -Wl,-rpath,'$$ORIGIN'

# Short functions without fences, and the program that calls them (docs/estimates.md).
$(BENCH)/libshort.so: bench/short.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/short_calls: bench/short_calls.c $(BENCH)/libshort.so
	$(CC) $(BENCH_CFLAGS) -fno-ipa-icf -o $@ $< -L$(BENCH) -lshort -Wl,-rpath,'$$ORIGIN'

$(BENCH)/libouter.so: bench/outer.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/nested_calls: bench/nested_calls.c $(BENCH)/libshort.so $(BENCH)/libouter.so
	$(CC) $(BENCH_CFLAGS) -fno-ipa-icf -o $@ $< -L$(BENCH) -lshort -louter -Wl,-rpath,'$$ORIGIN'

# Displacement's intervals compared with a load of known size (docs/displacement-results.md).
KNOWN_LIBS = $(addprefix $(BUILD)/lib,$(addsuffix .a,collector profile stats))
$(BENCH)/known_load: bench/known_load.c $(KNOWN_LIBS)
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(SAN) -o $@ $< $(KNOWN_LIBS) -lelf -lgsl -lgslcblas -lm -lpthread

# How long a thread is stopped to be judged, and libdw's opinion of its stack.
$(BENCH)/safe_points: bench/safe_points.c $(KNOWN_LIBS)
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(SAN) -o $@ $< $(KNOWN_LIBS) -ldw -lelf -lgsl -lgslcblas -lm -lpthread

$(BENCH)/quiet_mean: bench/quiet_mean.c $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(BENCH_CFLAGS) -o $@ $^ -lm

$(BENCH)/phase_p: bench/phase_p.c $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(BENCH_CFLAGS) -o $@ $^ -lgsl -lgslcblas -lm

# What is set aside as warm-up (docs/coverage.md).
$(BENCH)/warmup_laws: bench/warmup_laws.c $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(SAN) -o $@ $^ -lgsl -lgslcblas -lm

$(BENCH)/dither_design: bench/dither_design.c $(BUILD)/libcollector.a $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(SAN) -o $@ $^ -lgsl -lgslcblas -lm

# A profile of very many call paths (docs/performance.md).
$(BENCH)/many_paths: bench/many_paths.c $(BUILD)/libprofile.a $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $^ -ldw -lelf -lm

# A program that takes very many call paths (docs/performance.md).
$(BENCH)/spawns: bench/spawns.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $<

$(BENCH)/new_paths: bench/new_paths.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $<

# Programs of very many call paths, and what their profiles hold (docs/performance.md).
$(BENCH)/known_paths $(BENCH)/random_paths: $(BENCH)/%: bench/%.c $(BENCH)/libempty.so
	$(CC) $(BENCH_CFLAGS) -o $@ $< -L$(BENCH) -lempty -Wl,-rpath,'$$ORIGIN'

$(BENCH)/known_paths_unwind: bench/known_paths.c $(BENCH)/libempty.so
	$(CC) $(BENCH_CFLAGS) -DWITH_LIBUNWIND -o $@ $< -L$(BENCH) -lempty -lunwind -Wl,-rpath,'$$ORIGIN'

$(BENCH)/profile_counts: bench/profile_counts.c $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(BENCH_CFLAGS) -o $@ $^ -lm

# A program of very many call paths, to watch (docs/top.md).
$(BENCH)/live_paths: bench/live_paths.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $<

# Where a call's time goes, with a truth of its own; and what detects a switch (docs/estimates.md).
$(BENCH)/known_states $(BENCH)/short_threads $(BENCH)/switches: $(BENCH)/%: bench/%.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $< -lpthread

# The markers of scprof.h (docs/regions.md).
$(BENCH)/markers: bench/markers.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -Iinclude -o $@ $<

# The coverage study (docs/coverage.md): bench/coverage --help.
COVERAGE_SRC = \
	bench/coverage/main.c \
	bench/coverage/options.c \
	bench/coverage/check.c \
	bench/coverage/intervals.c \
	bench/coverage/intervals_exact.c \
	bench/coverage/heldout/report.c \
	bench/coverage/heldout/stream.c \
	bench/coverage/heldout/tails.c \
	bench/coverage/heldout/sojourns.c \
	bench/coverage/heldout/periods.c \
	bench/coverage/heldout/queues.c \
	bench/coverage/heldout/unseen.c \
	bench/coverage/heldout/traces.c \
	bench/coverage/methods.c \
	bench/coverage/tail_record.c \
	bench/coverage/percentile_program.c \
	bench/coverage/percentiles.c \
	bench/coverage/print.c \
	bench/coverage/threads.c \
	bench/coverage/threads_grid.c \
	bench/coverage/score.c \
	bench/coverage/states.c \
	bench/coverage/source.c \
	bench/coverage/iid.c \
	bench/coverage/lattice.c \
	bench/coverage/phases.c \
	bench/coverage/pool.c \
	bench/coverage/walk.c \
	bench/coverage/spread.c \
	bench/coverage/tally.c \
	bench/coverage/recorder.c \
	bench/coverage/cell.c \
	bench/coverage/law.c \
	bench/coverage/dice.c
COVERAGE_OBJ = $(patsubst bench/coverage/%.c,$(BENCH)/coverage.parts/%.o,$(COVERAGE_SRC))

.PHONY: bench-coverage
bench-coverage: $(BENCH)/coverage $(BENCH)/liblog_durations.so

# -ffast-math would break NAN; -fno-math-errno lets sqrt be one instruction.
$(BENCH)/coverage.parts/%.o: bench/coverage/%.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fno-math-errno -c -o $@ $<

$(BENCH)/coverage: $(COVERAGE_OBJ) $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) -o $@ $^ -lgsl -lgslcblas -lm -lpthread

# What real programs' durations are written down with (bench/coverage/traces/record.py).
$(BENCH)/liblog_durations.so: bench/coverage/traces/log_durations.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $< -ldl -lpthread

# The rule of --until and the forecasts of plan, simulated (docs/top.md, docs/plan.md).
$(BENCH)/stopping $(BENCH)/forecasts: $(BENCH)/%: bench/watched/%.c bench/watched/programs.c $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fno-math-errno -o $@ $^ -lgsl -lgslcblas -lm

$(BENCH)/two_states: bench/watched/two_states.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $< -lm

# What comparisons are measured with (docs/diff.md), and tested.
$(BENCH)/libspin.so: bench/spin.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/thirty: bench/thirty.c $(BENCH)/libspin.so
	$(CC) $(BENCH_CFLAGS) -o $@ $< -L$(BENCH) -lspin -Wl,-rpath,'$$ORIGIN'

# The verdicts of scprof diff --live, simulated, and by experiment (docs/diff.md).
$(BENCH)/simulate_live: bench/live/simulate.c $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $^ -lgsl -lgslcblas -lm

.PHONY: bench-diff
bench-diff: all $(BENCH)/thirty
	bench/diff_pairs.py --build $(BUILD) aa
	bench/diff_pairs.py --build $(BUILD) change

# What a call costs in a process that is attached to (bench/attach/cost).
$(BENCH)/attach_calls: bench/attach/calls_timed.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $<

# Coverage of the causal profile's intervals, simulated (docs/results/causal-simulated.txt).
$(BENCH)/causal_simulate: bench/causal/simulate.c bench/causal/models.c $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fno-math-errno -o $@ $(filter %.c %.a,$^) -lgsl -lgslcblas -lm

# What judges the causal profile (docs/causal.md). The work is a library's, for -s; and once more in the program, for Coz: it reads
# DWARF 4 at most, without GCC's location views, and the lines of the program alone.
CAUSAL_SRC = $(addprefix bench/causal/,algebra.c shapes.c trial.c queue.c)

$(BENCH)/libwork.so: bench/causal/work.c bench/causal/work.h
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/algebra: $(CAUSAL_SRC) bench/causal/shapes.h bench/causal/trial.h $(BENCH)/libwork.so
	$(CC) $(BENCH_CFLAGS) -Iinclude -o $@ $(CAUSAL_SRC) -L$(BENCH) -lwork -Wl,-rpath,'$$ORIGIN' -lm -lpthread

$(BENCH)/algebra_coz: $(CAUSAL_SRC) bench/causal/work.c bench/causal/shapes.h bench/causal/trial.h
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -gdwarf-4 -gno-variable-location-views -DWITH_COZ -DSCPROF_OFF -Iinclude \
		-o $@ $(CAUSAL_SRC) bench/causal/work.c -lm -lpthread -ldl

# A program without its writes to files (bench/causal/services.py).
$(BENCH)/libwithout.so: bench/causal/without.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

.PHONY: bench-causal
bench-causal: all $(BENCH)/algebra $(BENCH)/libwithout.so $(if $(wildcard /usr/include/coz.h),$(BENCH)/algebra_coz)
