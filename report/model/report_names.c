// SPDX-License-Identifier: GPL-3.0-or-later
/* The numbers of the format and of the command line, as words. */

#include <string.h>
#include <strings.h>
#include <math.h>

#include "include/scprof_names.h"
#include "report/model/model.h"
#include "report/model/sites.h"

static const char *const by_names[] = {
	[REPORT_BY_PATH] = "path", [REPORT_BY_SITE] = "site",	  [REPORT_BY_FUNCTION] = "function",
	[REPORT_BY_GAP] = "gap",   [REPORT_BY_THREAD] = "thread", [REPORT_BY_PROCESS] = "process",
};

#define FORMAT(value, name, suffix, print, traits) [value] = {name, suffix, traits},
static const struct {
	const char *name, *suffix;
	unsigned traits;
} formats[] = {REPORT_FORMATS(FORMAT)};

#define FORMAT_LISTED(value, name, suffix, print, traits) ", " name
const char *const report_names_formats = &REPORT_FORMATS(FORMAT_LISTED)[2];

#define SUFFIX_LISTED(value, name, suffix, print, traits) ", " suffix
const char *const report_names_endings = &REPORT_FORMATS(SUFFIX_LISTED)[2];

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int report_names_parse_format(const char *name, enum report_format *format)
{
	for (size_t i = 0; i < COUNT(formats); i++)
		if (!strcmp(formats[i].name, name)) {
			*format = (enum report_format)i;
			return 0;
		}
	return -1;
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t length = strlen(path), end = strlen(suffix);

	return length > end && !strcasecmp(path + length - end, suffix);
}

int report_names_format_of(const char *path, enum report_format *format)
{
	/* what others that write this format call its files, too */
	bool speedscope = ends_in(path, ".speedscope.json");

	for (size_t i = 0; i < COUNT(formats); i++)
		if (speedscope ? i == REPORT_SPEEDSCOPE : ends_in(path, formats[i].suffix)) {
			*format = (enum report_format)i;
			return 0;
		}
	return -1;
}

unsigned report_names_format_traits(enum report_format format)
{
	return formats[format].traits;
}

static const struct path_end {
	uint32_t flag; /* of the path; 0: it has none of the others */
	const char *name, *words;
} path_ends[] = {
	{SCP_PATH_SMALL_STACK, "caller-only",
	 "(caller only: its stack had no room to look further)"},
	{SCP_PATH_LIMITED, "limited", "(outer frames left out: --depth)"},
	{SCP_PATH_CUT, "cut", "(cut here: no unwind information)"},
	{SCP_PATH_TRUNCATED, "truncated", "(deeper: outer frames not kept)"},
	{SCP_PATH_PYTHON_CUT, "python-cut", "(Python frames are missing)"},
	{0, "complete", NULL},
};

static const struct path_end *path_end_of(const struct report_site *s)
{
	static const struct path_end overflow = {0, "not-kept", "(no room: path not kept)"};
	const struct path_end *end = path_ends;

	while (end->flag && !(s->path_flags & end->flag))
		end++;
	return s->overflow ? &overflow : end;
}

const char *report_names_path_end(const struct report_site *s)
{
	return path_end_of(s)->words;
}

const char *report_names_path(const struct report_site *s)
{
	return path_end_of(s)->name;
}

const char *report_names_by(enum report_by by)
{
	return by_names[by];
}

const char *report_names_outcome(const struct report_site *s)
{
	static const char *const names[SCP_OUTCOMES] = {SCP_OUTCOME_NAMES};

	if (s->overflow)
		return "any";
	return s->outcome < SCP_OUTCOMES ? names[s->outcome] : "unknown";
}

const char *report_names_clock(uint32_t kind)
{
	static const char *const names[] = {SCP_CLOCK_NAMES};

	return kind < COUNT(names) ? names[kind] : "unknown";
}

const char *report_names_detector(uint32_t detector)
{
	static const char *const names[] = {[SCP_SWITCH_NONE] = "none",
					    [SCP_SWITCH_SAMPLED] = "sampled",
					    [SCP_SWITCH_RSEQ] = "rseq",
					    [SCP_SWITCH_PERF] = "perf"};

	return names[detector < COUNT(names) ? detector : SCP_SWITCH_NONE];
}

bool report_names_is_detached(const struct prof_process *p)
{
	return p->end_state == SCP_END_DETACHED ||
	       (p->end_state == SCP_END_RUNNING && p->end.seen <= SCP_END_LIVED &&
		p->attached.known && p->attached.flags & SCP_ATTACHED_DETACHED);
}

/* The group `wait` is in wrappers.def; these are what other groups have, and -s. */
static const char *const waiting_names[] = {SCP_WAITING_NAMES};

static bool is_listed(const char *name)
{
	for (size_t i = 0; i < COUNT(waiting_names); i++)
		if (!strcmp(waiting_names[i], name))
			return true;
	return false;
}

bool waiting_function(const struct prof_function *f)
{
	if (f->group & SCP_GROUP_WAIT)
		return true;
	if (f->group & SCP_GROUP_ALL)
		return is_listed(f->name);
	/* older C libraries have threads and semaphores in a file of their own */
	bool libc = !strncmp(f->library, "libc.", 5) || !strncmp(f->library, "libpthread.", 11);
	return f->group & SCP_GROUP_SELECTED && libc && is_listed(f->name);
}

/* ---- weights: --weight names them ---- */

/* Other tools' formats have no negative numbers: what is below 0, or not known, is 0 there. */
static uint64_t whole(double ns)
{
	if (!(ns > 0))
		return 0;
	return ns < 0x1p62 ? (uint64_t)llround(ns) : UINT64_C(1) << 62;
}

/* The part of the path's time, so that the three add up to it. */
static uint64_t state_of(const struct report_site *s, double part_ns)
{
	const struct report_states *t = &s->states;
	double all = fmax(t->on_cpu.mean, 0) + fmax(t->runnable.mean, 0) + fmax(t->asleep.mean, 0);

	if (!t->known || isnan(part_ns) || !(all > 0))
		return 0;
	return whole(s->total_ns * part_ns / all);
}

uint64_t report_weight_of(enum report_weight weight, const struct report_site *s)
{
	if (computing_is(s) != (weight == REPORT_WEIGHT_COMPUTING))
		return 0;
	switch (weight) {
	case REPORT_WEIGHT_TIME:
	case REPORT_WEIGHT_COMPUTING:
		return whole(s->total_ns);
	case REPORT_WEIGHT_CALLS:
		return s->calls;
	case REPORT_WEIGHT_BYTES:
		return s->bytes;
	case REPORT_WEIGHT_ON_CPU:
		return state_of(s, s->states.on_cpu.mean);
	case REPORT_WEIGHT_RUNNABLE:
		return state_of(s, s->states.runnable.mean);
	case REPORT_WEIGHT_ASLEEP:
		return state_of(s, s->states.asleep.mean);
	default: /* of all its calls; a cost below 0 is noise as a rule */
		return s->displaced.state == SCP_SITE_COST_KNOWN
			       ? whole(s->displaced.uncharged.ns * (double)s->calls)
			       : 0;
	}
}

const struct report_weight_name report_weights[REPORT_WEIGHTS] = {
	[REPORT_WEIGHT_TIME] = {"time", "nanoseconds", "ns"},
	[REPORT_WEIGHT_CALLS] = {"calls", "count", "calls"},
	[REPORT_WEIGHT_BYTES] = {"bytes", "bytes", "bytes"},
	[REPORT_WEIGHT_ON_CPU] = {"on_cpu", "nanoseconds", "on_cpu_ns"},
	[REPORT_WEIGHT_RUNNABLE] = {"runnable", "nanoseconds", "runnable_ns"},
	[REPORT_WEIGHT_ASLEEP] = {"asleep", "nanoseconds", "asleep_ns"},
	[REPORT_WEIGHT_UNCHARGED] = {"uncharged", "nanoseconds", "uncharged_ns"},
	[REPORT_WEIGHT_COMPUTING] = {"computing", "nanoseconds", "computing_ns"},
};

static bool is_state(enum report_weight w)
{
	return w >= REPORT_WEIGHT_ON_CPU && w <= REPORT_WEIGHT_ASLEEP;
}

unsigned report_weight_list(const struct report *r, enum report_weight list[REPORT_WEIGHTS])
{
	bool states = states_any(r), costs = displaced_any(r);
	unsigned count = 0;

	for (enum report_weight w = 0; w < REPORT_WEIGHTS; w++)
		if ((states || !is_state(w)) && (costs || w != REPORT_WEIGHT_UNCHARGED) &&
		    (computing_paths(r) || w != REPORT_WEIGHT_COMPUTING))
			list[count++] = w;
	return count;
}

static const char *costs_missing(const struct profile *p, const struct report_options *o)
{
	if (o->by != REPORT_BY_PATH)
		return "costs by displacement are of single call paths: --weight uncharged goes "
		       "with --by path only";
	for (uint32_t i = 0; i < p->site_costs; i++)
		if (p->site_cost[i].state == SCP_SITE_COST_KNOWN)
			return NULL;
	return "no call path here has a cost by displacement: measure with 'scprof run "
	       "--displace', or choose another --weight";
}

static const char *samples_missing(const struct profile *p)
{
	for (uint32_t i = 0; i < p->samples && !(p->sampling.flags & SCP_SAMPLING_MIXED); i++)
		if (p->sampling.period_ns && p->sample[i].kind == SCP_SAMPLE_COMPUTING)
			return NULL;
	return "no sample of what was computed is here: record without --sample off, or choose "
	       "another --weight";
}

const char *report_weight_missing(const struct profile *p, const struct report_options *o)
{
	if (o->weight == REPORT_WEIGHT_UNCHARGED)
		return costs_missing(p, o);
	if (o->weight == REPORT_WEIGHT_COMPUTING)
		return samples_missing(p);
	if (!is_state(o->weight))
		return NULL;
	for (uint32_t i = 0; i < p->entries; i++)
		if (p->entry[i].sums.detector != SCP_SWITCH_NONE)
			return NULL;
	return "where the time went is not known of any call path here: measure without --states "
	       "off, or choose another --weight";
}
