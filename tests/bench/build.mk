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
$(BENCH)/libempty.so: tests/bench/empty.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/deep_call: tests/bench/deep_call.c $(BENCH)/libempty.so
	$(CC) $(BENCH_CFLAGS) -o $@ $< -L$(BENCH) -lempty -Wl,-rpath,'$$ORIGIN' -lpthread

# The same, function and all, rebuilt as gprof wants it (docs/performance.md).
$(BENCH)/deep_call_pg: tests/bench/deep_call.c tests/bench/empty.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -pg -o $@ $(filter-out %.h,$^) -lpthread

# The same stack, unwound by libunwind; apart, because linking it changes a program.
$(BENCH)/deep_unwind: tests/bench/deep_call.c $(BENCH)/libempty.so
	$(CC) $(BENCH_CFLAGS) -DWITH_LIBUNWIND -o $@ $< -L$(BENCH) -lempty -lunwind \
		-Wl,-rpath,'$$ORIGIN' -lpthread

# Functions of known duration, the program that calls them, and what reads its profile
# (docs/estimates.md).
$(BENCH)/libcalibrated.so: tests/bench/calibrated.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/calibrated_call: tests/bench/calibrated_call.c $(BENCH)/libcalibrated.so
	$(CC) $(BENCH_CFLAGS) -fno-ipa-icf -o $@ $< -L$(BENCH) -lcalibrated -Wl,-rpath,'$$ORIGIN' -ldl

# Short functions without fences, and the program that calls them (docs/estimates.md).
$(BENCH)/libshort.so: tests/bench/short.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/short_calls: tests/bench/short_calls.c $(BENCH)/libshort.so
	$(CC) $(BENCH_CFLAGS) -fno-ipa-icf -o $@ $< -L$(BENCH) -lshort -Wl,-rpath,'$$ORIGIN'

$(BENCH)/libouter.so: tests/bench/outer.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/nested_calls: tests/bench/nested_calls.c $(BENCH)/libshort.so $(BENCH)/libouter.so
	$(CC) $(BENCH_CFLAGS) -fno-ipa-icf -o $@ $< -L$(BENCH) -lshort -louter -Wl,-rpath,'$$ORIGIN'

# Displacement's intervals compared with a load of known size (docs/results/displacement.md).
KNOWN_LIBS = $(addprefix $(BUILD)/lib,$(addsuffix .a,collector profile stats))
$(BENCH)/known_load: tests/bench/known_load.c $(KNOWN_LIBS)
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(SAN) -o $@ $< $(KNOWN_LIBS) -lelf -lgsl -lgslcblas -lz -lm -lpthread -lrt

# How long a thread is stopped to be judged, and libdw's opinion of its stack.
$(BENCH)/safe_points: tests/bench/safe_points.c $(KNOWN_LIBS)
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -Ipreload/arch/$(ARCH) $(SAN) -o $@ $< $(KNOWN_LIBS) -ldw -lelf -lgsl -lgslcblas -lz -lm -lpthread

$(BENCH)/quiet_mean: tests/bench/quiet_mean.c $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(BENCH_CFLAGS) -o $@ $(filter-out %.h,$^) -lunistring -lm

$(BENCH)/phase_p: tests/bench/phase_p.c $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(BENCH_CFLAGS) -o $@ $(filter-out %.h,$^) -lgsl -lgslcblas -lunistring -lm

# What is set aside as warm-up (docs/coverage.md).
$(BENCH)/warmup_laws: tests/bench/warmup_laws.c $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(SAN) -o $@ $(filter-out %.h,$^) -lgsl -lgslcblas -lm

$(BENCH)/dither_design: tests/bench/dither_design.c $(BUILD)/libcollector.a $(BUILD)/libprofile.a $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(SAN) -o $@ $(filter-out %.h,$^) -lunistring -lgsl -lgslcblas -lm

# A profile of very many call paths (docs/performance.md).
$(BENCH)/many_paths: tests/bench/many_paths.c $(BUILD)/libprofile.a $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $(filter-out %.h,$^) -ldw -lelf -lunistring -lm

# A program that takes very many call paths (docs/performance.md).
$(BENCH)/spawns: tests/bench/spawns.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $<

$(BENCH)/new_paths: tests/bench/new_paths.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $<

# Programs of very many call paths, and what their profiles hold (docs/performance.md).
$(BENCH)/known_paths $(BENCH)/random_paths: $(BENCH)/%: tests/bench/%.c $(BENCH)/libempty.so
	$(CC) $(BENCH_CFLAGS) -o $@ $< -L$(BENCH) -lempty -Wl,-rpath,'$$ORIGIN'

$(BENCH)/known_paths_unwind: tests/bench/known_paths.c $(BENCH)/libempty.so
	$(CC) $(BENCH_CFLAGS) -DWITH_LIBUNWIND -o $@ $< -L$(BENCH) -lempty -lunwind -Wl,-rpath,'$$ORIGIN'

$(BENCH)/profile_counts: tests/bench/profile_counts.c $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) $(BENCH_CFLAGS) -o $@ $(filter-out %.h,$^) -lunistring -lm

# A program of very many call paths, to watch (docs/top.md).
$(BENCH)/live_paths: tests/bench/live_paths.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $<

# Where a call's time goes, with a truth of its own; and what detects a switch (docs/estimates.md).
$(BENCH)/known_states $(BENCH)/short_threads $(BENCH)/switches: $(BENCH)/%: tests/bench/%.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $< -lpthread

# The markers of scprof.h (docs/regions.md).
$(BENCH)/markers: tests/bench/markers.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -Iinclude -o $@ $<

# The coverage study (docs/coverage.md): tests/bench/coverage --help.
COVERAGE_SRC = \
	tests/bench/coverage/main.c \
	tests/bench/coverage/options.c \
	tests/bench/coverage/check.c \
	tests/bench/coverage/intervals.c \
	tests/bench/coverage/intervals_exact.c \
	tests/bench/coverage/heldout/report.c \
	tests/bench/coverage/heldout/stream.c \
	tests/bench/coverage/heldout/tails.c \
	tests/bench/coverage/heldout/sojourns.c \
	tests/bench/coverage/heldout/periods.c \
	tests/bench/coverage/heldout/queues.c \
	tests/bench/coverage/heldout/unseen.c \
	tests/bench/coverage/heldout/traces.c \
	tests/bench/coverage/methods.c \
	tests/bench/coverage/tail_record.c \
	tests/bench/coverage/percentile_program.c \
	tests/bench/coverage/percentiles.c \
	tests/bench/coverage/print.c \
	tests/bench/coverage/threads.c \
	tests/bench/coverage/threads_grid.c \
	tests/bench/coverage/score.c \
	tests/bench/coverage/states.c \
	tests/bench/coverage/source.c \
	tests/bench/coverage/iid.c \
	tests/bench/coverage/lattice.c \
	tests/bench/coverage/phases.c \
	tests/bench/coverage/pool.c \
	tests/bench/coverage/walk.c \
	tests/bench/coverage/spread.c \
	tests/bench/coverage/tally.c \
	tests/bench/coverage/recorder.c \
	tests/bench/coverage/cell.c \
	tests/bench/coverage/law.c \
	tests/bench/coverage/dice.c
COVERAGE_OBJ = $(patsubst tests/bench/coverage/%.c,$(BENCH)/coverage.parts/%.o,$(COVERAGE_SRC))

.PHONY: bench-coverage
bench-coverage: $(BENCH)/coverage $(BENCH)/liblog_durations.so

# -ffast-math would break NAN; -fno-math-errno lets sqrt be one instruction.
$(BENCH)/coverage.parts/%.o: tests/bench/coverage/%.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fno-math-errno -c -o $@ $<

$(BENCH)/coverage: $(COVERAGE_OBJ) $(BUILD)/libprofile.a $(BUILD)/libstats.a
	$(CC) -o $@ $(filter-out %.h,$^) -lgsl -lgslcblas -lm -lpthread

# What real programs' durations are written down with (tests/bench/coverage/traces/record.py).
$(BENCH)/liblog_durations.so: tests/bench/coverage/traces/log_durations.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $< -ldl -lpthread

# The rule of --until and the forecasts of plan, simulated (docs/top.md, docs/plan.md).
$(BENCH)/stopping $(BENCH)/forecasts: $(BENCH)/%: tests/bench/watched/%.c tests/bench/watched/programs.c $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fno-math-errno -o $@ $(filter-out %.h,$^) -lgsl -lgslcblas -lm

$(BENCH)/two_states: tests/bench/watched/two_states.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $< -lm

# What comparisons are measured with (docs/diff.md), and tested.
$(BENCH)/libspin.so: tests/bench/spin.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/thirty: tests/bench/thirty.c $(BENCH)/libspin.so
	$(CC) $(BENCH_CFLAGS) -o $@ $< -L$(BENCH) -lspin -Wl,-rpath,'$$ORIGIN'

# The verdicts of scprof diff --live, simulated, and by experiment (docs/diff.md).
$(BENCH)/simulate_live: tests/bench/live/simulate.c $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $(filter-out %.h,$^) -lgsl -lgslcblas -lm

.PHONY: bench-diff
bench-diff: all $(BENCH)/thirty
	tests/bench/diff_pairs.py --build $(BUILD) aa
	tests/bench/diff_pairs.py --build $(BUILD) change

# What a call costs in a process that is attached to (tests/bench/attach/cost).
$(BENCH)/attach_calls: tests/bench/attach/calls_timed.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $<

# Coverage of the causal profile's intervals, simulated (docs/results/causal-simulated.txt).
$(BENCH)/causal_simulate: tests/bench/causal/simulate.c tests/bench/causal/models.c $(BUILD)/libstats.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fno-math-errno -o $@ $(filter %.c %.a,$^) -lgsl -lgslcblas -lm

# What judges the causal profile (docs/causal.md). The work is a library's, for -s; and once more in the program, for Coz: it reads
# DWARF 4 at most, without GCC's location views, and the lines of the program alone.
CAUSAL_SRC = $(addprefix tests/bench/causal/,algebra.c shapes.c trial.c queue.c)

$(BENCH)/libwork.so: tests/bench/causal/work.c tests/bench/causal/work.h
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

$(BENCH)/algebra: $(CAUSAL_SRC) tests/bench/causal/shapes.h tests/bench/causal/trial.h $(BENCH)/libwork.so
	$(CC) $(BENCH_CFLAGS) -Iinclude -o $@ $(CAUSAL_SRC) -L$(BENCH) -lwork -Wl,-rpath,'$$ORIGIN' -lm -lpthread

$(BENCH)/algebra_coz: $(CAUSAL_SRC) tests/bench/causal/work.c tests/bench/causal/shapes.h tests/bench/causal/trial.h
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -gdwarf-4 -gno-variable-location-views -DWITH_COZ -DSCPROF_OFF -Iinclude \
		-o $@ $(CAUSAL_SRC) tests/bench/causal/work.c -lm -lpthread -ldl

# A program without its writes to files (tests/bench/causal/services.py).
$(BENCH)/libwithout.so: tests/bench/causal/without.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $<

.PHONY: bench-causal
bench-causal: all $(BENCH)/algebra $(BENCH)/libwithout.so $(if $(wildcard /usr/include/coz.h),$(BENCH)/algebra_coz)
