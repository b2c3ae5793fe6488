// SPDX-License-Identifier: GPL-3.0-or-later
/* Warm-up, drift, bimodal durations and outliers, in nanoseconds. */
#include "report/model/sites.h"

#include <math.h>
#include <string.h>

/* What is worth a line of text; JSON has all. A real but small change of the mean is left out, and
 * so is a long first call where many others are as long. */
#define NOTABLE_CHANGE 0.05
#define NOTABLE_FIRST  10
#define FIRST_AT_MOST  0.01
#define NOTABLE_SHARE  0.01
#define MOST_ASIDE     (1 / 3.0) /* of the batches */

/* The least that the squares of `calls` durations with this sum add up to, one of them
 * being `known` (0: none is known). */
static prof_u128 least_squares(uint64_t sum, uint64_t calls, uint64_t known)
{
	prof_u128 others = sum - known;

	if (!known || calls < 2)
		return (prof_u128)sum * sum / (calls ? calls : 1);
	return (prof_u128)known * known + others * others / (calls - 1);
}

/* A call longer than each later batch together lies before them. */
static bool lies_aside(const struct prof_batches *b, unsigned aside, uint64_t unfinished,
		       uint64_t longest)
{
	for (unsigned i = aside; i < b->count; i++)
		if (b->sum[i] >= longest)
			return false;
	return unfinished < longest;
}

static uint64_t sum_of(const struct prof_batches *b, unsigned from, unsigned to)
{
	uint64_t sum = 0;

	for (unsigned i = from; i < to; i++)
		sum += b->sum[i];
	return sum;
}

/* Squares of the calls in the first `aside` batches, at least: batches keep their sum
 * alone. Too wide an interval of what is left is the safe side. */
static prof_u128 squares_aside(const struct prof_batches *b, unsigned aside, uint64_t longest)
{
	prof_u128 squares = 0;

	for (unsigned i = 0; i < aside; i++) {
		uint64_t known = 0;

		if (longest && b->sum[i] >= longest) {
			known = longest;
			longest = 0;
		}
		squares += least_squares(b->sum[i], b->calls, known);
	}
	return squares;
}

static void drop(struct prof_batches *b, unsigned aside)
{
	b->count -= aside;
	for (unsigned i = 0; i < b->count; i++)
		b->sum[i] = b->sum[i + aside];
}

static void take_off(struct prof_batches *b, unsigned aside, uint64_t longest, uint64_t *units,
		     prof_u128 *units_sq)
{
	uint64_t unfinished = *units - sum_of(b, 0, b->count);
	bool gone = lies_aside(b, aside, unfinished, longest);
	prof_u128 squares = squares_aside(b, aside, gone ? longest : 0);

	*units -= sum_of(b, 0, aside);
	*units_sq -= squares < *units_sq ? squares : *units_sq;
	drop(b, aside);
}

/* Also of a damaged profile, whose sums may be anything. */
static bool batches_agree(const struct prof_sums *s)
{
	const struct prof_batches *b = &s->batches;

	if (b->calls > s->calls / (b->count ? b->count : 1) || sum_of(b, 0, b->count) > s->units)
		return false;
	return !s->slow || (s->slow->batches.calls == s->batches.calls &&
			    s->slow->batches.count == s->batches.count);
}

static void copy_batches(struct prof_batches *b, uint64_t *room)
{
	if (b->count)
		memcpy(room, b->sum, b->count * sizeof(*room));
	b->sum = room;
}

static void take_slots(uint64_t *slot, unsigned aside, unsigned count, uint64_t *all)
{
	for (unsigned i = 0; i < aside; i++)
		*all -= slot[i] < *all ? slot[i] : *all;
	for (unsigned i = 0; i + aside < count; i++)
		slot[i] = slot[i + aside];
}

/* The same of switched calls: `s` is a copy, with batches in `room`. Their number is right;
 * readings and squares, which are not kept by batches, stay too many. */
static void take_off_states(struct prof_states *s, struct prof_state_batches *room, unsigned aside,
			    unsigned count)
{
	*room = *s->batches;
	s->batches = room;
	for (unsigned i = 0; i < aside; i++) {
		prof_u128 squares = least_squares(room->units[i], room->calls[i], 0);

		s->units_sq -= squares < s->units_sq ? squares : s->units_sq;
	}
	take_slots(room->calls, aside, count, &s->calls);
	take_slots(room->units, aside, count, &s->units);
	take_slots(room->known, aside, count, &s->off_cpu.known);
	take_slots(room->weighted, aside, count, &s->off_cpu.weighted);
	take_slots(room->runnable_ns, aside, count, &s->off_cpu.runnable_ns);
	take_slots(room->asleep_ns, aside, count, &s->off_cpu.asleep_ns);
}

struct rest {
	struct prof_slow slow;
	struct prof_states states;
	struct prof_state_batches state_batches;
	uint64_t sum[2][SCP_BATCHES];
};

/* Where it is not known which of the switched calls are aside, nothing is known of the rest. */
static void rest_of_states(struct prof_sums *rest, const struct prof_sums *s, struct rest *room,
			   unsigned aside)
{
	struct prof_states *t = &room->states;
	bool sampled = s->detector == SCP_SWITCH_SAMPLED;

	if (!s->states->batches || s->states->from_calls) {
		rest->states = NULL;
		rest->detector = SCP_SWITCH_NONE;
		return;
	}
	*t = *s->states;
	take_off_states(t, &room->state_batches, aside, s->batches.count);
	if (!sampled && t->readings > t->calls)
		t->readings = t->calls;
	/* What is left of the squares is estimated, of each by itself. */
	if (t->units_sq > rest->units_sq)
		t->units_sq = rest->units_sq;
	for (int i = 0; i < SCP_STATE_HISTS; i++)
		t->hist[i] = NULL;
	rest->states = t;
}

static struct prof_sums rest_of(const struct prof_sums *s, struct rest *room, unsigned aside)
{
	struct prof_sums rest = *s;

	rest.hist = NULL;
	rest.hist_of_one = false;
	rest.first = NULL;
	rest.phase = NULL;
	rest.line = NULL;
	rest.tail = NULL;
	if (s->slow) {
		room->slow = *s->slow;
		rest.slow = &room->slow;
	}
	if (!aside)
		return rest;
	copy_batches(&rest.batches, room->sum[0]);
	take_off(&rest.batches, aside, s->max_units, &rest.units, &rest.units_sq);
	rest.calls -= aside * s->batches.calls;
	if (s->states)
		rest_of_states(&rest, s, room, aside);
	if (s->slow) {
		struct prof_slow *slow = &room->slow;

		copy_batches(&slow->batches, room->sum[1]);
		take_off(&slow->batches, aside, slow->max_units, &slow->units, &slow->units_sq);
	}
	return rest;
}

/* Which batches are warm-up, and whether what follows drifts. */
static unsigned look_at(struct steadiness *to, const struct prof_sums *s)
{
	struct stats_batches b = {s->batches.calls, s->batches.count, s->batches.sum};
	unsigned aside = batches_agree(s) ? warmup_find(&b).batches : 0;

	/* What lasts so long is no warm-up: it is reported as a step, and stays in the mean. */
	if (aside > MOST_ASIDE * s->batches.count)
		aside = 0;
	to->warmup_calls += aside * b.calls;
	to->warmup_units += sum_of(&s->batches, 0, aside);
	if (!to->mean_only && s->units >= to->largest_units) {
		to->largest_units = s->units;
		to->drift = drift_find(&b, aside);
		to->drift_at = (double)((aside + to->drift.at) * b.calls) / (double)s->calls;
	}
	return aside;
}

int steadiness_add(struct steadiness *to, const struct prof_sums *s, bool ordered, bool include)
{
	unsigned aside = ordered && s->batches.count ? look_at(to, s) : 0;
	struct rest room;
	struct prof_sums rest;

	if (include)
		aside = 0;
	to->next_calls += aside * s->batches.calls;
	to->next_units += sum_of(&s->batches, aside, 2 * aside);
	rest = rest_of(s, &room, aside);

	return sums_add(&to->rest, &rest);
}

void steadiness_widen(struct mean_interval *e, const struct steadiness *s)
{
	double calls = (double)s->rest.calls, units = (double)s->rest.units;
	double left = calls - (double)s->next_calls, mean = (units - (double)s->next_units) / left;

	if (s->next_calls && left >= 1 && units > 0)
		warmup_widen(e, mean * calls / units - 1);
}

static void fill_drift(struct report_steadiness *to, const struct steadiness *s, uint64_t units,
		       double unit, double off)
{
	/* Of several entries one must stand for the site. */
	if (!s->largest_units || s->largest_units < units / 2 || isnan(s->drift.begin))
		return;
	to->drift_known = true;
	to->drift = s->drift.kind;
	to->begin_ns = s->drift.begin * unit - off;
	to->end_ns = s->drift.end * unit - off;
	to->change = to->begin_ns > 0 ? to->end_ns / to->begin_ns - 1 : NAN;
	to->step_at = s->drift.kind == STATS_STEP ? s->drift_at : NAN;
}

static void fill_modes(struct report_steadiness *to, const struct prof_hist *hist, uint32_t buckets,
		       double tick, double unit, double off)
{
	struct bimodality m = bimodality_find(hist->count, buckets, tick);

	to->modes = m.two ? 2 : 1;
	for (int i = 0; i < 2; i++) {
		to->mode_ns[i] = fmax(m.center[i] * unit - off, 0);
		to->mode_calls[i] = m.share[i];
		to->mode_time[i] = m.time[i];
	}
}

static void fill_outliers(struct report_steadiness *to, const struct prof_sums *s,
			  const struct prof_hist *hist, double unit, double off)
{
	struct outliers o = outliers_find(hist->count, SCP_HIST_BLOCKS * SCP_HIST_BUCKETS, s->units,
					  s->max_units);

	to->fence_ns = o.fence * unit - off;
	to->outliers = o.calls < 0x1p64 ? (uint64_t)o.calls : UINT64_MAX;
	to->outlier_calls = o.share_calls;
	to->outlier_ns = o.units * unit - o.calls * off;
	to->outlier_time = o.share_units;
}

/* Clocks of several processes have no common start. */
static bool one_process(const struct report *r)
{
	return r->profile->processes == 1 && r->profile->process[0].count <= 1;
}

void steadiness_fill(const struct report *r, struct report_site *s, const struct prof_sums *sums,
		     const struct prof_hist *hist, const struct steadiness *steady)
{
	const struct prof_clock *clock = &r->profile->clock;
	const uint64_t *count = hist ? hist->count : NULL;
	double unit = clock->ns_per_unit * estimate_scale(s);
	double off = s->overhead_ns - s->inner_overhead_ns, others;
	struct report_steadiness *to = &s->steadiness;
	uint32_t buckets = count ? histogram_used(count, SCP_HIST_BLOCKS * SCP_HIST_BUCKETS) : 0;
	struct first_call first =
		warmup_first(sums->first_units, sums->calls, sums->units, count, buckets);

	to->warmup_calls = steady->warmup_calls;
	to->warmup_ns = (double)steady->warmup_units * unit / (double)steady->warmup_calls - off;
	to->warmup_aside = steady->warmup_calls && steady->rest.calls < sums->calls;
	to->first_ns = sums->calls ? (double)sums->first_units * unit - off : NAN;
	others = (s->total_ns - to->first_ns) / ((double)sums->calls - 1);
	to->first_ratio = others > s->overhead_error_ns ? to->first_ns / others : first.ratio;
	to->first_share = first.share;
	to->longest_after_s =
		one_process(r) && sums->max_at >= sums->first_at && sums->max_at
			? (double)(sums->max_at - sums->first_at) * clock->ns_per_unit / 1e9
			: NAN;
	fill_drift(to, steady, sums->units, unit, off);
	to->fence_ns = to->outlier_calls = to->outlier_time = to->outlier_ns = NAN;
	if (!hist)
		return;
	fill_modes(to, hist, buckets, (double)clock->resolution_units, unit, off);
	fill_outliers(to, sums, hist, unit, off);
}

unsigned steadiness_findings(const struct report_site *s)
{
	const struct report_steadiness *of = &s->steadiness;
	unsigned found = 0;

	if (of->warmup_calls)
		found |= REPORT_WARM_UP;
	if (of->first_ratio >= NOTABLE_FIRST && of->first_share <= FIRST_AT_MOST)
		found |= REPORT_FIRST_CALL;
	if (of->drift_known && of->drift != STATS_STEADY && fabs(of->change) >= NOTABLE_CHANGE)
		found |= REPORT_DRIFT;
	if (of->modes == 2)
		found |= REPORT_TWO_MODES;
	if (of->outlier_time >= NOTABLE_SHARE)
		found |= REPORT_OUTLIERS;
	if (s->calls > 1 && s->calls < STATS_FEW_CALLS)
		found |= REPORT_FEW_CALLS;
	if (s->path_flags & SCP_PATH_PYTHON_CUT)
		found |= REPORT_PYTHON_CUT;
	return found;
}
