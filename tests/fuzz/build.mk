# SPDX-License-Identifier: GPL-3.0-or-later
# make fuzz-reader [SECONDS=60]   AFL++ on the reader; fails on a crash or a hang
# make fuzz-commands [SECONDS=60] [SEED=N]   mutants for all commands; fails on a finding
# make fuzz-replay                seeds and stored findings under ASan and UBSan
# What the fuzzer once found lies in tests/fuzz/corpus/ and is replayed for ever.

SECONDS ?= 60
AFL_CC  ?= afl-clang-fast
FUZZ_OUT ?= $(BUILD)/fuzz/out

FUZZ_PROFILE = $(PROFILE_SRC) stats/histogram/histogram.c
FUZZ_SRC = $(FUZZ_PROFILE) tests/unit/support/model_check.c
FUZZ_CFLAGS = -std=gnu11 -O2 -g -D_GNU_SOURCE -I.
# The reader's own library of names for what compilers mangle.
FUZZ_LIBS = -liberty -lunistring -lm
FUZZ_DEPS = $(wildcard profile/*/*.h tests/unit/support/*.h) include/scprof_format.h
AFL_ENV = AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1

$(BUILD)/fuzz/fuzz_reader: tests/fuzz/fuzz_reader.c $(FUZZ_SRC) $(FUZZ_DEPS)
	@mkdir -p $(@D)
	AFL_QUIET=1 $(AFL_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^) $(FUZZ_LIBS)

$(BUILD)/fuzz/replay: tests/fuzz/fuzz_reader.c $(FUZZ_SRC) $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CFLAGS) -Og -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ \
		$(filter %.c,$^) $(FUZZ_LIBS)

FUZZ_CORPUS_SRC = tests/fuzz/make_corpus.c tests/unit/support/scp_build.c tests/unit/support/scp_sample.c \
	tests/unit/support/source_file.c
$(BUILD)/fuzz/make_corpus: $(FUZZ_CORPUS_SRC) $(FUZZ_PROFILE) $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^) $(FUZZ_LIBS)

$(BUILD)/fuzz/seeds: $(BUILD)/fuzz/make_corpus $(wildcard tests/fuzz/corpus/*)
	@rm -rf $@ && mkdir -p $@
	$< $@
	@for f in tests/fuzz/corpus/*; do [ ! -f "$$f" ] || cp "$$f" $@; done

# The whole file is tried within a second; the reader's slowest wait is 10 ms.
.PHONY: fuzz-reader fuzz-replay
fuzz-reader: $(BUILD)/fuzz/fuzz_reader $(BUILD)/fuzz/seeds
	@rm -rf $(FUZZ_OUT)
	$(AFL_ENV) afl-fuzz -V $(SECONDS) -t 1000 -i $(BUILD)/fuzz/seeds -o $(FUZZ_OUT) \
		-x tests/fuzz/scp.dict -- $< >$(BUILD)/fuzz/log 2>&1 || \
		{ tail -20 $(BUILD)/fuzz/log; exit 1; }
	@grep -E '^(execs_done|execs_per_sec|corpus_count|saved_crashes|saved_hangs|bitmap_cvg)' \
		$(FUZZ_OUT)/default/fuzzer_stats
	@! ls $(FUZZ_OUT)/default/crashes/id* $(FUZZ_OUT)/default/hangs/id* 2>/dev/null

# What is found stays in $(MUTANTS).
MUTANTS = $(BUILD)/fuzz/mutants
SEED ?= $(shell date +%s)
MAKE_PROFILE = $(BUILD)/tests/profiles/make_profile
MAKE_STATES = $(BUILD)/tests/profiles/make_states
MAKE_SAMPLED = $(BUILD)/tests/profiles/make_sampled
.PHONY: mutants fuzz-commands
mutants: $(BUILD)/tests/fuzz/mutate $(MAKE_PROFILE) $(MAKE_STATES) $(MAKE_SAMPLED) $(BUILD)/fuzz/seeds
fuzz-commands: mutants
	@mkdir -p $(MUTANTS)/seeds && cp $(BUILD)/fuzz/seeds/* $(MUTANTS)/seeds
	@$(MAKE_PROFILE) paths 12 $(MUTANTS)/seeds/paths.scp
	@$(MAKE_PROFILE) displaced 7 $(MUTANTS)/seeds/displaced.scp
	@$(MAKE_PROFILE) ticks $(MUTANTS)/seeds/ticks.scp
	@$(MAKE_PROFILE) hostile $(MUTANTS)/seeds/hostile.scp
	@$(MAKE_SAMPLED) $(MUTANTS)/seeds/hostile.scp $(MUTANTS)/seeds/computing.scp
	@$(MAKE_STATES) rseq $(MUTANTS)/seeds/switched.scp
	@$(MAKE_STATES) sampled $(MUTANTS)/seeds/sampled.scp
	cd $(MUTANTS) && $(abspath $(BUILD)/tests/fuzz/mutate) -s $(SEED) -t $(SECONDS) -c 1000000000 seeds/*

fuzz-replay: $(BUILD)/fuzz/replay $(BUILD)/fuzz/seeds
	$< $(BUILD)/fuzz/seeds/*

# The commands fed with damaged profiles.
$(BUILD)/tests/fuzz/mutate: $(addprefix $(BUILD)/tests/fuzz/,mutate.o mutation.o mutant_commands.o) $(TOOL_ARCHIVES)
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS)
