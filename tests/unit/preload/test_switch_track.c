// SPDX-License-Identifier: GPL-3.0-or-later
/* Where a thread's time off its CPU goes, on a made-up machine: its clock, its counts of switches
 * and the word that the detector looks at are variables here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "include/scprof_format.h"
#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/switches/switch_track.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"

#define ARMED	  UINT64_C(0x1000)
#define READ_COST 1000u
#define TICK_NS	  4000000u
#define OTHERS_NS 8000000u /* for which other threads have the CPU */

static struct profile_file process_file;
struct process process = {.file = &process_file};
struct switch_choice switch_chosen;
uint32_t sys_sandboxed;
struct clock_choice clock_chosen;

static struct scp_header header;
static struct switch_reading machine;
static uint64_t word;
static size_t room;
static bool given_up;
static unsigned readings;
static unsigned clocks;		/* readings of no more than these */
static uint64_t interrupted_ns; /* the next reading loses the CPU for so long behind its clocks */
static uint64_t waits_ns;	/* ... in front of them */
static uint64_t got_ns;		/* when the thread got its CPU */
static uint64_t slice_ns;	/* how long it may have it until the kernel looks; 0: for ever */
static jmp_buf *leaves; /* where a handler goes that interrupts a reading; NULL: none does */

static void lose_cpu_for(uint64_t ns)
{
	machine.mono_ns += ns;
	machine.delay_ns += ns;
	machine.involuntary++;
	word = 0;
	got_ns = machine.mono_ns;
}

uint64_t clock_mono_ns(void)
{
	return machine.mono_ns;
}

static uint64_t ticker_cpu; /* + 1 */
static int32_t thread_cpu;

uint64_t clock_ticker_cpu(void)
{
	return ticker_cpu;
}

int32_t switch_detector_cpu(const struct switch_watch *w)
{
	(void)w;
	return thread_cpu;
}

size_t stack_room(void)
{
	return room;
}

/* The reading takes time, on the CPU. */
bool switch_reading_take(struct switch_reading *r, int32_t tid, bool delay, bool prove)
{
	(void)tid, (void)prove;
	if (leaves)
		longjmp(*leaves, 1);
	if (waits_ns)
		lose_cpu_for(waits_ns);
	waits_ns = 0;
	if (slice_ns && machine.mono_ns - got_ns > slice_ns)
		interrupted_ns = OTHERS_NS;
	*r = machine;
	r->has_delay = delay;
	r->is_derived = false;
	machine.mono_ns += READ_COST;
	machine.cpu_ns += READ_COST;
	readings++;
	if (interrupted_ns) {
		lose_cpu_for(interrupted_ns);
		interrupted_ns = 0;
		r->involuntary = machine.involuntary; /* counted behind the switch, as is... */
		r->delay_ns = machine.delay_ns;
	}
	return true;
}

/* Nobody looks at the slice. */
bool switch_reading_derive(struct switch_reading *r, int32_t tid,
			   const struct switch_reading *since)
{
	uint64_t slice = slice_ns;

	if (machine.voluntary != since->voluntary || interrupted_ns)
		return false;
	slice_ns = 0;
	switch_reading_take(r, tid, true, true);
	slice_ns = slice;
	r->is_derived = true;
	r->cpu_ns = since->cpu_ns + r->mono_ns - since->mono_ns - (r->delay_ns - since->delay_ns);
	return true;
}

bool switch_reading_take_clocks(struct switch_reading *r)
{
	*r = machine;
	r->has_delay = false;
	clocks++;
	return true;
}

void switch_detector_arm(struct switch_watch *w)
{
	*w->word = ARMED;
	w->expected = w->armed = ARMED;
}

void switch_detector_bind(struct switch_watch *w)
{
	w->word = &word;
	w->detector = switch_chosen.kind;
	switch_detector_arm(w);
}

void switch_detector_release(struct switch_watch *w)
{
	w->detector = SCP_SWITCH_NONE;
}

void switch_detector_note(uint32_t flags)
{
	switch_chosen.flags |= flags;
}

void switch_detector_give_up(void)
{
	given_up = true;
	switch_chosen.flags |= SCP_SWITCH_MISSED;
	switch_chosen.kind = SCP_SWITCH_SAMPLED;
}

static void run_for(uint64_t ns)
{
	machine.mono_ns += ns;
	machine.cpu_ns += ns;
}

/* ... until a tick, where another thread gets the CPU: returns how often that was. */
static unsigned compute_for(uint64_t ns)
{
	run_for(ns);
	if (machine.mono_ns - got_ns < TICK_NS)
		return 0;
	lose_cpu_for(OTHERS_NS);
	return 1;
}

static void sleep_for(uint64_t ns, uint64_t then_wait)
{
	machine.mono_ns += ns + then_wait;
	machine.delay_ns += then_wait;
	machine.voluntary++;
	word = 0;
}

static struct switch_watch *start(uint32_t kind, bool exact)
{
	static struct switch_watch w;

	w = (struct switch_watch){.random = 12345};
	machine = (struct switch_reading){.mono_ns = 1000000};
	header = (struct scp_header){0};
	process.file->header = &header;
	switch_chosen = (struct switch_choice){.kind = kind, .exact = exact};
	room = SIZE_MAX;
	given_up = false;
	readings = clocks = 0;
	slice_ns = 0;
	leaves = NULL;
	switch_budget_begin_process();
	switch_track_start(&w, (int32_t)sys_gettid());
	return &w;
}

/* As call_fast.h does. */
static const struct switch_sums *begin(struct switch_watch *w)
{
	return switch_watch_is_due(w) ? switch_track_begin(w) : NULL;
}

static const struct switch_sums *end(struct switch_watch *w)
{
	return switch_watch_is_disturbed(w) ? switch_track_end(w) : NULL;
}

static void test_a_call_that_kept_its_cpu_adds_nothing(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_null(begin(w));
		run_for(500);
		assert_null(end(w));
		run_for(100);
	}
	assert_int_equal(w->sums.mark.count, 0);
	assert_true(header.switches.verified > 5);
	assert_int_equal(header.switches.missed, 0);
}

static void test_sleep_and_wait_for_a_cpu_are_told_apart(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	const struct switch_sums *off;

	(void)state;
	begin(w);
	run_for(300);
	sleep_for(70000, 5000);
	run_for(200);
	off = end(w);
	assert_non_null(off);
	assert_int_equal(off->mark.count, 1);
	assert_int_equal(off->mark.asleep_ns, 70000);
	assert_int_equal(off->mark.runnable_ns, 5000);
	assert_int_equal(off->waits, 1);
	assert_int_equal(off->mark.known, off->mark.weighted);
}

static void test_what_the_host_steals_is_not_slept(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	const struct switch_sums *off;

	(void)state;
	begin(w);
	run_for(300);
	machine.mono_ns += 90000; /* stolen: neither CPU time nor run delay */
	lose_cpu_for(7000);
	off = end(w);
	assert_int_equal(off->mark.runnable_ns, 7000);
	assert_int_equal(off->mark.asleep_ns, 0);
	assert_int_equal(w->totals.stolen_ns, 90000);
	assert_int_equal(w->totals.delay_ns, 7000);
	assert_int_equal(w->totals.delay_covered_ns, w->totals.covered_ns);
}

/* It loses its CPU when it is about to sleep: that is in no run delay, which is shorter by so much
 * `more`. */
static void expect_uncounted(struct switch_watch *w, uint64_t more)
{
	const struct switch_sums *off;

	begin(w);
	run_for(300);
	lose_cpu_for(3000000);
	machine.delay_ns -= 3000000 + more;
	off = end(w);
	assert_int_equal(off->mark.runnable_ns, 3000000);
	assert_int_equal(off->mark.asleep_ns, 0);
	assert_int_equal(w->totals.stolen_ns, 0);
}

static void test_a_wait_that_the_kernel_does_not_count_is_not_stolen(void **state)
{
	(void)state;
	expect_uncounted(start(SCP_SWITCH_RSEQ, true), 0);
}

/* What the reading itself is off the CPU is taken from a run delay that lacks that, too. */
static void test_an_interrupted_reading_behind_such_a_wait_hides_nothing(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);

	(void)state;
	begin(w);
	lose_cpu_for(20000);
	assert_int_equal(end(w)->mark.runnable_ns, 20000);
	expect_uncounted(w, 5000);
}

static void test_a_switch_between_calls_is_the_gaps(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	const struct switch_sums *gap;

	(void)state;
	begin(w);
	assert_null(end(w));
	sleep_for(1000, 0);
	gap = begin(w);
	assert_non_null(gap);
	assert_int_equal(gap->mark.asleep_ns, 1000);
	run_for(50);
	assert_null(end(w));
}

static void test_a_switch_inside_a_nested_call_is_also_that_of_the_outer_one(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	const struct switch_sums *off;
	struct switch_mark since;

	(void)state;
	begin(w);
	run_for(10);
	lose_cpu_for(3000);
	switch_track_check(w); /* a nested call begins: not its own */
	since = w->sums.mark;
	sleep_for(2000, 0);
	switch_track_check(w);
	off = switch_track_difference(w, &since);
	assert_int_equal(off->mark.asleep_ns, 2000);
	assert_int_equal(off->mark.runnable_ns, 0);
	off = end(w);
	assert_int_equal(off->mark.count, 2);
	assert_int_equal(off->mark.asleep_ns, 2000);
	assert_int_equal(off->mark.runnable_ns, 3000);
	assert_null(begin(w));
}

static void test_a_signal_looks_like_a_switch_and_adds_no_time(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	const struct switch_sums *off;

	(void)state;
	begin(w);
	run_for(10);
	word = 0;
	off = end(w);
	assert_int_equal(off->mark.asleep_ns + off->mark.runnable_ns, 0);
	assert_int_equal(header.switches.unfounded, 1);
}

static void test_readings_near_the_ticker_are_counted(void **state)
{
	static const struct {
		uint32_t clock;
		uint64_t ticker;
		int32_t thread;
		bool counted, near;
	} of[] = {{SCP_CLOCK_PAGE, 3, 2, true, true},
		  {SCP_CLOCK_PAGE, 3, 1, true, false},
		  {SCP_CLOCK_PAGE, 0, 1, true, true},
		  {SCP_CLOCK_PAGE, 3, -1, true, true},
		  {SCP_CLOCK_TSC, 3, 2, false, false}};
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);

	(void)state;
	for (unsigned i = 0; i < sizeof(of) / sizeof(*of); i++) {
		header.ticker_readings = header.ticker_near = 0;
		clock_chosen.kind = of[i].clock;
		ticker_cpu = of[i].ticker;
		thread_cpu = of[i].thread;
		begin(w);
		sleep_for(1000, 0);
		end(w);
		assert_true((header.ticker_readings > 0) == of[i].counted);
		assert_int_equal(header.ticker_near, of[i].near ? header.ticker_readings : 0);
	}
	clock_chosen.kind = SCP_CLOCK_TSC;
}

/* What was lost in the reading after a call is the gap's, and the call's own is known all the same.
 */
static void test_a_reading_that_is_interrupted_loses_nothing(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	const struct switch_sums *off;

	(void)state;
	begin(w);
	sleep_for(50000, 0);
	interrupted_ns = 30000;
	off = end(w);
	assert_int_equal(off->mark.count, 1);
	assert_int_equal(off->mark.asleep_ns, 50000);
	assert_int_equal(off->mark.runnable_ns, 0);
	off = begin(w);
	assert_int_equal(off->mark.runnable_ns, 30000);
	assert_int_equal(off->mark.asleep_ns, 0);
	run_for(10);
	lose_cpu_for(4000);
	assert_non_null(end(w));
	lose_cpu_for(6000);
	interrupted_ns = 20000; /* of the reading where a call begins */
	off = begin(w);
	assert_int_equal(off->mark.runnable_ns, 26000);
	run_for(10);
	assert_null(end(w));
}

/* As a thread does that has just woken on a busy machine. */
static void test_a_wait_between_a_call_and_its_reading_is_the_gaps(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	const struct switch_sums *off;

	(void)state;
	begin(w);
	sleep_for(50000, 2000);
	waits_ns = 3000000;
	off = end(w);
	assert_int_equal(off->mark.asleep_ns, 50000);
	assert_int_equal(off->mark.runnable_ns, 2000);
	off = begin(w);
	assert_int_equal(off->mark.count, 1);
	assert_int_equal(off->mark.runnable_ns, 3000000);
	assert_int_equal(off->mark.asleep_ns, 0);
	run_for(10);
	assert_null(end(w));
	assert_int_equal(w->totals.stolen_ns, 0);
}

static void test_a_detector_that_misses_a_switch_is_given_up(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);

	(void)state;
	begin(w);
	sleep_for(1000, 0);
	word = ARMED; /* as on a kernel that does not clear it in a system call */
	assert_null(end(w));
	begin(w);
	assert_true(given_up);
	assert_int_equal(header.switches.missed, 1);
	end(w);
	begin(w);
	assert_int_equal(w->detector, SCP_SWITCH_SAMPLED);
}

static void test_without_a_detector_calls_are_asked(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_SAMPLED, true);
	const struct switch_sums *off;

	(void)state;
	begin(w);
	run_for(100);
	machine.voluntary++;
	machine.mono_ns += 6000;
	off = end(w);
	assert_int_equal(off->mark.count, 1);
	assert_int_equal(off->mark.asleep_ns, 6000);
	assert_int_equal(off->mark.weighted, 1);
	begin(w);
	run_for(100);
	off = end(w);
	assert_int_equal(off->mark.count, 0);
	assert_int_equal(off->mark.weighted, 1);
}

static void test_no_room_on_the_stack_no_look(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);

	(void)state;
	begin(w);
	sleep_for(1000, 0);
	room = 100;
	w->room_at = 0; /* the call was made on another stack */
	readings = 0;
	assert_null(end(w));
	assert_null(begin(w));
	assert_int_equal(readings, 0);
}

static void test_a_thread_that_begins_on_a_small_stack_is_not_asked_yet(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);

	(void)state;
	room = 500;
	readings = 0;
	switch_track_start(w, w->tid);
	assert_int_equal(readings, 0);
	room = SIZE_MAX;
	sleep_for(1000, 0);
	assert_non_null(begin(w)); /* the switch is known, and its segment was not read */
	assert_int_equal(w->sums.mark.count, 1);
	assert_int_equal(w->sums.mark.weighted, 0);
	assert_int_equal(readings, 1);
}

/* One call, in which the thread sleeps for a microsecond, and whose end's reading a handler leaves.
 */
static void leave_a_reading(struct switch_watch *w)
{
	jmp_buf here;

	begin(w);
	run_for(100);
	sleep_for(1000, 0);
	leaves = &here;
	if (!setjmp(here))
		end(w);
	leaves = NULL;
}

static void test_a_handler_that_leaves_a_reading_leaves_no_segment_to_be_read(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_PERF, true);
	const struct switch_sums *off;

	(void)state;
	leave_a_reading(w);
	w->countdown = 1;
	begin(w); /* verifies the segment before it, if that is read */
	assert_false(given_up);
	run_for(100);
	sleep_for(70000, 0);
	off = end(w);
	assert_non_null(off);
	assert_int_equal(off->mark.asleep_ns, 70000);
}

static void test_a_random_call_whose_reading_is_left_comes_again(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_SAMPLED, false);
	jmp_buf here;

	(void)state;
	w->countdown = 1;
	leaves = &here;
	if (!setjmp(here))
		begin(w);
	leaves = NULL;
	begin(w);
	assert_true(readings > 0);
	assert_true(w->sampled);
}

static void test_a_vfork_child_is_not_asked_for_its_parents_time(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	struct switch_reading parent;
	const struct switch_sums *gap;

	(void)state;
	parent = machine;
	readings = 0;
	w->tid++;
	machine = (struct switch_reading){.mono_ns = parent.mono_ns};
	for (int i = 0; i < 10; i++) {
		w->countdown = 1;
		begin(w);
		lose_cpu_for(50);
		end(w);
	}
	assert_int_equal(readings, 0);
	w->tid--;
	parent.mono_ns = machine.mono_ns;
	machine = parent;
	sleep_for(6000, 0);
	gap = begin(w);
	assert_non_null(gap);
	assert_int_equal(gap->waits, 1);
	assert_int_equal(gap->mark.asleep_ns, 6500);
}

/* 200 000 calls of 2 us, every fifth of which sleeps: that is ten times what the budget allows to
 * read. The estimates of the sleeping time stay near the truth: the standard error of 20 runs of
 * this program was 0.4 %. */
static void test_a_budget_is_kept_and_the_estimate_stays_right(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, false);
	double truth = 0, ratio;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		begin(w);
		run_for(2000);
		if (i % 5 == 0) {
			uint64_t ns = 5000 + (uint64_t)(i * 7919 % 10000);

			sleep_for(ns, 0);
			truth += (double)ns;
		}
		end(w);
	}
	assert_true(readings > 1000);
	assert_true((double)readings * READ_COST < 0.012 * (double)machine.mono_ns);
	ratio = (double)w->sums.mark.asleep_ns * (double)w->sums.mark.known /
		(double)w->sums.mark.weighted / truth;
	assert_true(ratio > 0.97 && ratio < 1.03);
}

/* The kernel takes the CPU from it at a tick, or where it is asked for the thread's CPU time and
 * the slice is over. */
static void test_a_thread_that_shares_its_cpu_does_not_wait_in_readings(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, false);
	uint64_t in_calls = 0;

	(void)state;
	slice_ns = 1400000;
	got_ns = machine.mono_ns;
	for (int i = 0; i < 400000; i++) {
		begin(w);
		run_for(5000);
		if (machine.mono_ns - got_ns >= TICK_NS) {
			lose_cpu_for(OTHERS_NS);
			in_calls += OTHERS_NS;
		}
		end(w);
	}
	assert_true(readings > 300);
	assert_true((double)in_calls > 0.95 * (double)machine.delay_ns);
	/* alone again, it is asked again */
	readings = 0;
	slice_ns = 0;
	for (int i = 0; i < 400000; i++) {
		begin(w);
		run_for(5000);
		end(w);
	}
	assert_true(readings > 300);
}

/* Whatever is read of calls of 3 ms is read late in a slice. */
static void test_a_thread_of_rare_calls_does_not_wait_in_readings(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	uint64_t in_calls = 0, told = 0;

	(void)state;
	slice_ns = 1400000;
	got_ns = machine.mono_ns;
	for (int i = 0; i < 4000; i++) {
		begin(w);
		uint64_t before = machine.delay_ns;
		for (int k = 0; k < 300; k++)
			compute_for(10000 + (uint64_t)(i % 7) * 100);
		in_calls += machine.delay_ns - before;
		const struct switch_sums *off = end(w);
		told += off ? off->mark.runnable_ns : 0;
		compute_for(100000);
	}
	assert_true((double)in_calls > 0.9 * (double)machine.delay_ns);
	assert_true((double)told > 0.99 * (double)in_calls && told <= in_calls + OTHERS_NS);
	assert_true(w->sums.mark.asleep_ns < machine.delay_ns / 1000);
	assert_true(w->totals.ran_ns > 0);
	assert_int_equal(w->totals.stolen_ns, 0);
	assert_int_equal(header.switches.missed, 0);
}

/* It computes for 5 ms, and sleeps in a call. */
static void test_a_thread_that_sleeps_does_not_wait_in_readings_either(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	uint64_t others = 0;

	(void)state;
	slice_ns = 700000;
	got_ns = machine.mono_ns;
	for (int i = 0; i < 2000; i++) {
		for (int k = 0; k < 500; k++)
			others += compute_for(10000);
		begin(w);
		sleep_for(200000, OTHERS_NS);
		got_ns = machine.mono_ns;
		end(w);
	}
	assert_true((double)machine.involuntary < 1.1 * (double)others);
	assert_int_equal(w->sums.mark.asleep_ns, 2000 * 200000ull);
}

/* A tenth of its time is stolen. */
static void compute_robbed(int pieces)
{
	for (int k = 0; k < pieces; k++) {
		compute_for(9000);
		machine.mono_ns += 1000;
	}
}

/* It is asked each time: what was stolen before looks neither stolen nor slept else. */
static void test_what_is_stolen_from_a_thread_that_shares_its_cpu_is_found(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, true);
	double share, asleep;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		begin(w);
		compute_robbed(500);
		end(w);
		begin(w);
		compute_robbed(100);
		sleep_for(300000, 0);
		end(w);
	}
	share = (double)w->totals.stolen_ns / (double)w->totals.ran_ns;
	assert_true(share > 0.09 && share < 0.11);
	asleep = (double)w->sums.mark.asleep_ns / 4000;
	assert_true(asleep > 300000 && asleep < 300000 + 1.1 * 100000);
}

/* A thread for each of 4000 requests, which waits before and after it sends something. */
static void serve(struct switch_watch *w, double *asleep)
{
	double before = (double)w->sums.mark.asleep_ns;

	switch_track_start(w, w->tid);
	for (int i = 0; i < 4; i++) {
		begin(w);
		run_for(50000);
		if (i < 2)
			sleep_for(200000, 0);
		end(w);
	}
	run_for(50000);
	switch_track_pause(w);
	*asleep += (double)w->sums.mark.asleep_ns - before;
}

static void test_short_threads_share_a_budget_and_their_cpu_time_is_known(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, false);
	double asleep = 0, ratio;

	(void)state;
	w->totals = (struct switch_totals){0};
	machine = (struct switch_reading){.mono_ns = 1000000};
	for (int i = 0; i < 4000; i++)
		serve(w, &asleep);
	assert_true(readings > 500);
	assert_true((double)readings * READ_COST < 0.01 * (double)machine.cpu_ns);
	assert_true(clocks > 6000);
	/* but for what the first and the last readings themselves took */
	assert_true(w->totals.cpu_ns <= machine.cpu_ns);
	assert_true(machine.cpu_ns - w->totals.cpu_ns < machine.cpu_ns / 100);
	assert_true(w->totals.covered_ns >= w->totals.cpu_ns);
	ratio = asleep * (double)w->sums.mark.known / (double)w->sums.mark.weighted /
		(4000 * 2 * 200000.0);
	assert_true(ratio > 0.95 && ratio < 1.05);
}

static void test_a_thread_that_computes_among_short_ones_is_found_busy(void **state)
{
	struct switch_watch *w = start(SCP_SWITCH_RSEQ, false);
	double asleep = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		serve(w, &asleep);
	switch_track_start(w, w->tid);
	w->weight = 0; /* its first segment is not read, nor is its first call */
	w->countdown = 100;
	assert_true(w->is_young);
	begin(w);
	run_for(20000000);
	sleep_for(1000, 0);
	end(w);
	assert_true(w->busy_ppk > 900);
	assert_false(w->is_young);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_that_kept_its_cpu_adds_nothing),
		cmocka_unit_test(test_sleep_and_wait_for_a_cpu_are_told_apart),
		cmocka_unit_test(test_what_the_host_steals_is_not_slept),
		cmocka_unit_test(test_a_wait_that_the_kernel_does_not_count_is_not_stolen),
		cmocka_unit_test(test_an_interrupted_reading_behind_such_a_wait_hides_nothing),
		cmocka_unit_test(test_a_switch_between_calls_is_the_gaps),
		cmocka_unit_test(test_a_switch_inside_a_nested_call_is_also_that_of_the_outer_one),
		cmocka_unit_test(test_readings_near_the_ticker_are_counted),
		cmocka_unit_test(test_a_signal_looks_like_a_switch_and_adds_no_time),
		cmocka_unit_test(test_a_reading_that_is_interrupted_loses_nothing),
		cmocka_unit_test(test_a_wait_between_a_call_and_its_reading_is_the_gaps),
		cmocka_unit_test(test_a_detector_that_misses_a_switch_is_given_up),
		cmocka_unit_test(test_without_a_detector_calls_are_asked),
		cmocka_unit_test(test_no_room_on_the_stack_no_look),
		cmocka_unit_test(test_a_thread_that_begins_on_a_small_stack_is_not_asked_yet),
		cmocka_unit_test(test_a_handler_that_leaves_a_reading_leaves_no_segment_to_be_read),
		cmocka_unit_test(test_a_random_call_whose_reading_is_left_comes_again),
		cmocka_unit_test(test_a_vfork_child_is_not_asked_for_its_parents_time),
		cmocka_unit_test(test_a_budget_is_kept_and_the_estimate_stays_right),
		cmocka_unit_test(test_a_thread_that_shares_its_cpu_does_not_wait_in_readings),
		cmocka_unit_test(test_a_thread_of_rare_calls_does_not_wait_in_readings),
		cmocka_unit_test(test_a_thread_that_sleeps_does_not_wait_in_readings_either),
		cmocka_unit_test(test_what_is_stolen_from_a_thread_that_shares_its_cpu_is_found),
		cmocka_unit_test(test_short_threads_share_a_budget_and_their_cpu_time_is_known),
		cmocka_unit_test(test_a_thread_that_computes_among_short_ones_is_found_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
