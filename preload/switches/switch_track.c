// SPDX-License-Identifier: Apache-2.0
#include "preload/switches/switch_track.h"
#include "include/scprof_format.h"
#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"

#define ROOM_BELOW    256u /* bytes of stack */
#define ROOM_ABOVE    2048u
#define UNFOUNDED_NS  2000u /* no switch takes a thread off its CPU for less */
#define LONG_AGO_NS   10000000u
#define READING_TRIES 16u
#define LONG_NS	      20000u /* a segment whose readings' own uncertainty does not matter */

/* The clocks of a reading are not read at one instant, the less so after a switch. */
static void note_ran(struct switch_watch *w, const struct switch_reading *r, uint64_t ran)
{
	if (ran < LONG_NS || w->from.is_derived || r->is_derived)
		return;
	w->totals.ran_ns += w->asks * ran;
	w->totals.stolen_ns += (int64_t)(w->asks * (ran - (r->cpu_ns - w->from.cpu_ns)));
}

/* A segment with a switch at its end. */
static void add_off_cpu(struct switch_watch *w, const struct switch_reading *r, uint64_t length,
			uint64_t weight)
{
	const struct switch_reading *from = &w->from;
	struct switch_sums *s = &w->sums;
	uint64_t elapsed = r->mono_ns - from->mono_ns;
	uint64_t cpu = r->cpu_ns - least_of(from->cpu_ns, r->cpu_ns);
	uint64_t off = elapsed - least_of(elapsed, cpu), waits = r->voluntary - from->voluntary;
	bool has_delay = r->has_delay && from->has_delay;
	uint64_t delay = r->delay_ns - least_of(from->delay_ns, r->delay_ns);
	s->mark.weighted += weight * length;
	/* A switch in the middle of the reading before was counted there already. */
	if (!waits && r->involuntary == from->involuntary && off < UNFOUNDED_NS) {
		process_count(switches.unfounded, 1);
		return;
	}
	if (!waits) {
		/* What is missing beyond the run delay was stolen: the thread had its CPU. */
		has_delay &= !switch_reading_lacks_delay(r, from);
		uint64_t runnable = has_delay ? least_of(delay, elapsed) : off;
		s->mark.runnable_ns += weight * runnable;
		note_ran(w, r, elapsed - runnable);
		return;
	}
	uint64_t runnable = has_delay ? least_of(delay, off) : 0;
	s->mark.runnable_ns += weight * runnable;
	s->mark.asleep_ns += weight * (off - runnable);
	s->ran_ns += weight * cpu;
	s->waits += weight * waits;
}

/* A segment without one: was there really none? */
static void verify(struct switch_watch *w, const struct switch_reading *r)
{
	if (r->voluntary == w->from.voluntary && r->involuntary == w->from.involuntary) {
		note_ran(w, r, r->mono_ns - w->from.mono_ns);
		return;
	}
	process_count(switches.missed, 1);
	switch_detector_give_up();
}

static void close_segment(struct switch_watch *w, const struct switch_reading *r, bool switched,
			  uint64_t length, uint64_t weight)
{
	process_count(switches.verified, 1);
	if (switched)
		add_off_cpu(w, r, length, weight);
	else if (w->detector != SCP_SWITCH_SAMPLED)
		verify(w, r);
}

static void end_segment(struct switch_watch *w, bool switched, uint64_t length)
{
	w->sums.mark.count += switched;
	w->sums.mark.known += switched ? length : 0;
}

static void begin_segment(struct switch_watch *w, const struct switch_reading *r, uint64_t weight,
			  uint64_t now)
{
	w->weight = r ? weight : 0;
	w->asks = w->asks_next;
	if (r)
		w->from = *r;
	else
		w->began_ns = now;
}

/* The thread lost its CPU after `now`, in reading `r`, which is of two instants then. It is read
 * again until that does not happen: *then is of one instant. `r` is made the reading of `now`: a
 * reading does not sleep, so the time since was spent waiting for a CPU; the run delay loses it.
 * Returns that time; UINT64_MAX: it happened each time, and nothing is known. */
static uint64_t read_again(struct switch_watch *w, struct switch_reading *r, uint64_t now,
			   struct switch_reading *then)
{
	r->mono_ns = now;
	for (unsigned i = 0; i < READING_TRIES; i++) {
		switch_detector_arm(w);
		if (!switch_totals_add(w, then, true))
			return UINT64_MAX;
		if (*w->word != w->armed)
			continue;
		uint64_t passed = then->mono_ns - r->mono_ns;
		uint64_t cpu = then->cpu_ns - least_of(r->cpu_ns, then->cpu_ns);
		uint64_t off = passed - least_of(passed, cpu);
		if (r->has_delay && then->has_delay)
			r->delay_ns = then->delay_ns - least_of(then->delay_ns, off);
		return off;
	}
	return UINT64_MAX;
}

static void add_mark(struct switch_mark *to, const struct switch_mark *more)
{
	to->count += more->count;
	to->known += more->known;
	to->weighted += more->weighted;
	to->runnable_ns += more->runnable_ns;
}

/* A segment whose last reading, or the first of the next one, is of two instants. What was lost in
 * that is of the interval before it where another one begins; else of the one after it, which is
 * told then. */
static void turn_in_pieces(struct switch_watch *w, struct switch_reading *r, bool switched,
			   uint64_t now, uint64_t was, uint64_t weight, bool begins)
{
	struct switch_reading then = {0};
	uint64_t length = now - w->began_ns;
	w->asks_next = 1; /* its slice is new, and nothing follows from `r` */
	uint64_t off = read_again(w, r, now, &then);
	w->asks_next = switch_totals_asks(w, true);
	bool known = off != UINT64_MAX;
	if (known && was && switched)
		close_segment(w, r, true, length, was);
	end_segment(w, switched, length);
	const struct switch_mark lost = {1, then.mono_ns - r->mono_ns, then.mono_ns - r->mono_ns,
					 off, 0};
	if (known)
		add_mark(begins ? &w->sums.mark : &w->late, &lost);
	else
		switch_detector_arm(w);
	begin_segment(w, known ? &then : NULL, weight, clock_mono_ns());
}

/* One segment ends at `now` and the next begins, which is read where `weight` is not 0. The
 * detector was armed before `now` was read: what happens since is of the next interval. The run
 * delay changes only with a switch, so it need not always be read. `begins`: an interval begins. A
 * handler that leaves meanwhile by longjmp leaves a segment that is not read. */
static void turn(struct switch_watch *w, bool switched, uint64_t now, uint64_t weight, bool begins)
{
	uint64_t began = w->began_ns, length = now - began, was = w->weight;
	struct switch_reading r;
	bool delay = switched || !was || !w->from.has_delay;
	if ((was || weight) && switch_totals_is_anothers(w))
		return;
	w->weight = 0;
	compiler_barrier();
	w->asks_next = switch_totals_asks(w, switched);
	bool read = (was || weight) && switch_totals_add(w, &r, delay);
	if (read && *w->word != w->armed) {
		w->began_ns = began;
		turn_in_pieces(w, &r, switched, now, was, weight, begins);
		return;
	}
	if (read && !delay) { /* as at the last switch */
		r.delay_ns = w->from.delay_ns;
		r.has_delay = true;
	}
	if (read && was)
		close_segment(w, &r, switched, length, was);
	end_segment(w, switched, length);
	begin_segment(w, read ? &r : NULL, weight, now);
}

/* Looking takes system calls with some stack. Where there was enough a little above or below, there
 * is; an alternate stack does not lie so near to a stack pointer of another one. */
static bool has_room(struct switch_watch *w)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (here - ROOM_BELOW < w->room_at && w->room_at < here + ROOM_ABOVE)
		return true;
	size_t room = stack_room();
	if (room == SIZE_MAX)
		w->room_at = here;
	return room >= STACK_TO_GROW;
}

/* A thread that was not read for long may be busy, and have a budget of its own. */
static void check_clocks(struct switch_watch *w, uint64_t now)
{
	if (w->is_young && w->has_last && now - w->last.mono_ns >= LONG_AGO_NS)
		switch_totals_add_clocks(w);
}

static COLD void on_switch(struct switch_watch *w, bool begins)
{
	bool shared = w->detector == SCP_SWITCH_RSEQ && *w->word;
	switch_detector_arm(w);
	uint64_t now = clock_mono_ns();
	if (shared)
		switch_detector_note(SCP_SWITCH_SHARED);
	check_clocks(w, now);
	turn(w, true, now, switch_budget_choose(w, now), begins);
}

static COLD void on_random_call(struct switch_watch *w)
{
	uint64_t now = clock_mono_ns();
	check_clocks(w, now);
	turn(w, false, now, 1, true);
}

/* The detector was given up since. */
static void follow_choice(struct switch_watch *w)
{
	if (w->detector != switch_chosen.kind && (switch_chosen.flags & SCP_SWITCH_MISSED) &&
	    w->detector != SCP_SWITCH_SAMPLED) {
		uint32_t countdown = w->countdown;
		switch_detector_bind(w);
		w->countdown = countdown;
		w->weight = 0;
		w->asks = 1;
		w->top = w->sums;
	}
}

void switch_track_start(struct switch_watch *w, int32_t tid)
{
	uint64_t now = clock_mono_ns();
	w->tid = tid;
	w->sampled = w->has_last = w->last_delay.has_delay = false;
	w->is_crowded = false;
	w->asks = 1;
	w->weight = 0;
	w->room_at = 0;
	switch_budget_begin(w, now);
	switch_detector_bind(w);
	w->began_ns = now;
	if (w->detector != SCP_SWITCH_NONE && has_room(w)) {
		if (w->detector != SCP_SWITCH_SAMPLED)
			turn(w, false, now, switch_budget_choose(w, now), true);
		if (!w->has_last)
			switch_totals_add_clocks(w);
	}
	switch_budget_draw(w, now);
	w->top = w->sums;
}

static void subtract(const struct switch_sums *to, const struct switch_sums *from,
		     struct switch_sums *difference)
{
	const uint64_t *a = (const uint64_t *)to, *b = (const uint64_t *)from;
	for (unsigned i = 0; i < sizeof *to / sizeof *a; i++) /* all are sums */
		((uint64_t *)difference)[i] = a[i] - b[i];
}

/* What was added since the last top-level call began, or ended. */
static struct switch_sums *take_top(struct switch_watch *w)
{
	bool found = w->sums.mark.count != w->top.mark.count;
	if (found)
		subtract(&w->sums, &w->top, &w->off);
	w->top = w->sums;
	return found ? &w->off : NULL;
}

static struct switch_sums *end_sample(struct switch_watch *w)
{
	struct switch_reading r;
	w->sampled = false;
	w->expected = w->armed;
	w->top = w->sums;
	if (!switch_totals_add(w, &r, true))
		return NULL;
	bool switched = r.voluntary != w->from.voluntary || r.involuntary != w->from.involuntary;
	if (switched)
		add_off_cpu(w, &r, 1, w->weight);
	else
		w->sums.mark.weighted += w->weight;
	subtract(&w->sums, &w->top, &w->off);
	w->off.mark.count = switched;
	w->weight = 0;
	w->top = w->sums;
	return &w->off;
}

/* What happened is not looked at, nor is it found later: the ways that lead here are deep. */
static struct switch_sums *forget(struct switch_watch *w)
{
	switch_detector_arm(w);
	w->weight = 0;
	w->sampled = false;
	w->top = w->sums;
	return NULL;
}

COLD const struct switch_sums *switch_track_begin(struct switch_watch *w)
{
	if (!has_room(w)) {
		w->countdown += !w->countdown;
		return forget(w);
	}
	follow_choice(w);
	bool random = !w->countdown, switched = *w->word != w->armed;
	w->countdown += random; /* comes again where a handler leaves before the next is drawn */
	w->sampled = false;	/* of a call that was abandoned */
	bool sampled = w->detector == SCP_SWITCH_SAMPLED;
	if (switched)
		on_switch(w, true);
	else if (random && !sampled && w->detector != SCP_SWITCH_NONE)
		on_random_call(w);
	w->expected = w->armed;
	const struct switch_sums *gap = take_top(w);
	if (random) {
		if (sampled) { /* without a detector: the call itself is the segment */
			w->sampled = !switch_totals_is_anothers(w) &&
				     switch_totals_add(w, &w->from, true);
			w->weight = w->sampled ? w->period : 0;
			if (w->sampled)
				w->expected = ~w->armed;
		}
		switch_budget_draw(w, clock_mono_ns());
	}
	return gap;
}

/* What was lost in the reading behind a call is the gap's: the next look takes it from there. */
static void take_late(struct switch_watch *w)
{
	const struct switch_mark *late = &w->late;
	if (!late->count)
		return;
	add_mark(&w->sums.mark, late);
	w->late = (struct switch_mark){0};
	w->expected = ~w->armed;
}

COLD struct switch_sums *switch_track_end(struct switch_watch *w)
{
	if (!has_room(w))
		return forget(w);
	if (w->sampled)
		return end_sample(w);
	if (*w->word != w->armed)
		on_switch(w, false);
	w->expected = w->armed;
	struct switch_sums *call = take_top(w);
	take_late(w);
	return call;
}

COLD void switch_track_check_inside(struct switch_watch *w)
{
	if (!has_room(w))
		return;
	on_switch(w, true);
	w->expected = ~w->armed;
}

const struct switch_sums *switch_track_difference(struct switch_watch *w,
						  const struct switch_mark *since)
{
	if (w->sums.mark.count == since->count)
		return NULL;
	subtract(&w->sums, &(struct switch_sums){*since, w->sums.ran_ns, w->sums.waits}, &w->off);
	return &w->off;
}

const struct switch_sums *switch_track_pause(struct switch_watch *w)
{
	bool switched = *w->word != w->armed;
	if (w->detector == SCP_SWITCH_NONE || !has_room(w))
		return NULL;
	if (switched)
		switch_detector_arm(w);
	uint64_t now = clock_mono_ns(), weight = switch_budget_choose_last(w, now);
	w->asks += !w->asks; /* all that it used is known */
	if (w->detector != SCP_SWITCH_SAMPLED)
		turn(w, switched, now, weight, true);
	if (w->has_last && w->last.mono_ns < now)
		switch_totals_add_clocks(w);
	w->sampled = false;
	w->expected = w->armed;
	return take_top(w);
}
