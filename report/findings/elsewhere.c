// SPDX-License-Identifier: GPL-3.0-or-later
/* Each function that was passed through counts for one group: a descriptor's kind is not known, so
 * what works on any descriptor is io's. A group's standard error is that of its sample. */
#include "report/findings/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/model/model.h"
#include "report/model/sites.h"
#include "report/wording/utf8.h"
#include "report/wording/numbers.h"
#include "report/wording/warning_list.h"

#define LEAST_SHARE 0.01 /* of the threads' time that is worth a word */
#define NAMED	    3	 /* functions of a group that are named */
#define NOT_CALLED  4

static const struct {
	uint32_t group;
	const char *name;
} groups[REPORT_ELSEWHERE_GROUPS] = {{SCP_GROUP_SOCKET, "socket"},
				     {SCP_GROUP_IO, "io"},
				     {SCP_GROUP_WAIT, "wait"},
				     {SCP_GROUP_RESOLVE, "resolve"}};

static bool begins_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Of sockets alone; what else is of both groups works on any descriptor. */
static bool is_of_sockets(const char *name)
{
	return begins_with(name, "recv") || begins_with(name, "accept") ||
	       (begins_with(name, "send") && !begins_with(name, "sendfile")) ||
	       !strcmp(name, "socket") || !strcmp(name, "connect") || !strcmp(name, "shutdown");
}

/* Which of `groups`; REPORT_ELSEWHERE_GROUPS: none. */
static uint32_t group_of(const struct prof_function *f)
{
	uint32_t group = f->group;

	if (group & SCP_GROUP_SOCKET && group & SCP_GROUP_IO)
		group = is_of_sockets(f->name) ? SCP_GROUP_SOCKET : SCP_GROUP_IO;
	for (uint32_t i = 0; i < REPORT_ELSEWHERE_GROUPS; i++)
		if (group & groups[i].group)
			return i;
	return REPORT_ELSEWHERE_GROUPS;
}

/* What a timed call has too much; 0: not known. */
static double inside_ns(const struct prof_clock *c)
{
	double way = c->overhead.way[SCP_WAY_SYSTEM].inside_ns;

	return way > 0 ? way : 0;
}

static bool one_is_shown(const struct report *r)
{
	return r->apart && programs_shown(r) == 1;
}

static void add_look(const struct report *r, const struct prof_look *k,
		     struct report_elsewhere_function *to)
{
	const struct prof_clock *c = &r->profile->clock;
	double calls = (double)k->calls, ns = c->ns_per_unit, factor, s;
	bool own = !one_is_shown(r) || !r->program_of[r->profile->table[k->table].process];

	to->calls += k->calls;
	to->own_calls += own ? calls : 0;
	if (!k->weight)
		return;
	factor = calls / (double)k->weight; /* a ratio estimate: Cochran 1977, section 6.2 */
	s = fmax(factor * (double)k->units * ns - calls * inside_ns(c), 0) / 1e9;
	to->time_s += s;
	to->own_s += own ? s : 0;
	factor *= ns / 1e9;
	to->error_s = sqrt(to->error_s * to->error_s + factor * factor * (double)k->units_sq);
}

ARRAY_COMPARE(longest_first, struct report_elsewhere_function,
	      PROF_ORDER(b, a, time_s, calls) ?: ARRAY_ORDER(a->function, b->function))

/* The threads' time; where a killed program left little of it, what it can have been at most. */
static double all_time_s(const struct report *r)
{
	double time = r->time_ns / 1e9, threads = 0;

	for (uint32_t i = 0; i < r->profile->tables; i++)
		threads += r->profile->table[i].threads;
	if (time > 0 && !(time < 0.5 * r->wall_s))
		return time;
	return r->wall_s > 0 ? r->wall_s * fmax(threads, 1) : time;
}

static void finish(const struct report *r, struct report_elsewhere *e)
{
	double all = all_time_s(r);
	double own = one_is_shown(r) ? r->program[0].time_ns / 1e9 : all;

	ARRAY_SORT(e->function, e->functions, longest_first);
	for (uint32_t i = 0; i < e->functions; i++) {
		PROF_ADD(e, &e->function[i], calls, time_s, own_calls, own_s);
		e->error_s = hypot(e->error_s, e->function[i].error_s);
		if (waiting_function(&r->profile->function[e->function[i].function]))
			e->waiting_s += e->function[i].time_s;
	}
	e->share = all > 0 ? fmin(e->time_s / all, 1) : NAN;
	e->own_share = own > 0 ? fmin(e->own_s / own, 1) : NAN;
}

/* `sum`: by function. */
static int make_group(struct report *r, uint32_t group, const struct report_elsewhere_function *sum)
{
	const struct profile *p = r->profile;
	struct report_elsewhere *e = &r->elsewhere[r->elsewheres];
	uint32_t count = 0;

	for (uint32_t f = 0; f < p->functions; f++)
		count += sum[f].calls && group_of(&p->function[f]) == group;
	if (!count)
		return 0;
	e->group = groups[group].name;
	e->mask = groups[group].group;
	e->function = calloc(count, sizeof(*e->function));
	if (!e->function)
		return -1;
	for (uint32_t f = 0; f < p->functions; f++)
		if (sum[f].calls && group_of(&p->function[f]) == group)
			e->function[e->functions++] = sum[f];
	finish(r, e);
	r->elsewheres++;
	return 0;
}

ARRAY_COMPARE(longest_group_first, struct report_elsewhere, ARRAY_ORDER(b->time_s, a->time_s))

int elsewhere_fill(struct report *r)
{
	const struct profile *p = r->profile;
	struct report_elsewhere_function *sum = calloc((size_t)p->functions + 1, sizeof(*sum));
	int result = sum ? 0 : -1;

	for (uint32_t f = 0; sum && f < p->functions; f++)
		sum[f].function = f;
	for (uint32_t i = 0; sum && i < p->looks; i++)
		add_look(r, &p->look[i], &sum[p->look[i].function]);
	for (uint32_t g = 0; result == 0 && g < REPORT_ELSEWHERE_GROUPS; g++)
		result = make_group(r, g, sum);
	ARRAY_SORT(r->elsewhere, r->elsewheres, longest_group_first);
	free(sum);
	return result;
}

static void put_names(FILE *to, const struct report *r, const struct report_elsewhere *e)
{
	for (uint32_t i = 0; i < e->functions && i < NAMED; i++)
		fprintf(to, "%s%s", i ? ", " : "",
			r->profile->function[e->function[i].function].name);
}

static void put_group(FILE *to, const struct report *r, const struct report_elsewhere *e,
		      const char *before)
{
	bool about = e->error_s > 0.01 * e->time_s;

	fprintf(to, "%s`-g %s` would record ", before, e->group);
	if (e->share >= LEAST_SHARE)
		fprintf(to, "%s%s %% of %s, ", about ? "about " : "",
			numbered_digits(100 * e->share, 2).text,
			r->apart ? "all programs' time" : "the time");
	fprintf(to, "%s call%s (", numbered_count(e->calls).text, e->calls == 1 ? "" : "s");
	put_names(to, r, e);
	fprintf(to, ")%s", e->waiting_s > e->time_s / 2 ? ", mostly waiting" : "");
}

char *elsewhere_describe(const struct report *r)
{
	const char *before = "";
	struct utf8_memory memory;

	utf8_memory_begin(&memory);
	for (uint32_t i = 0; memory.to && i < r->elsewheres; i++) {
		if (!(r->elsewhere[i].share >= LEAST_SHARE) && (r->calls || i))
			continue;
		put_group(memory.to, r, &r->elsewhere[i], before);
		before = "; ";
	}
	return utf8_memory_end(&memory);
}

/* A name that was asked for may be of several libraries: one that is called answers for all, else
 * the first. */
static bool namesake_answers(const struct profile *p, const bool *called, uint32_t function)
{
	for (uint32_t i = 0; i < p->functions; i++)
		if ((called[i] || i < function) && p->function[i].group & SCP_GROUP_SELECTED &&
		    !strcmp(p->function[i].name, p->function[function].name))
			return true;
	return false;
}

/* A ready-made group has many functions that most programs never call: that is worth a word where
 * none of them was called. */
char *elsewhere_not_called(const struct report *r)
{
	const struct profile *p = r->profile;
	bool *called = calloc((size_t)p->functions + 1, sizeof(*called));
	uint32_t selected = 0, met = 0, named = 0;
	struct utf8_memory memory;

	for (uint32_t i = 0; called && i < p->entries; i++)
		called[p->entry[i].function] = true;
	for (uint32_t i = 0; called && i < p->functions; i++) {
		bool is = p->function[i].group & SCP_GROUP_SELECTED;

		called[i] |= p->function[i].overflow_calls > 0;
		selected += is;
		met += is && called[i];
	}
	utf8_memory_begin(&memory);
	for (uint32_t i = 0; called && memory.to && i < p->functions; i++) {
		const struct prof_function *f = &p->function[i];

		if (!(f->group & SCP_GROUP_SELECTED) || (met && selected > NOT_CALLED) ||
		    named == NOT_CALLED || namesake_answers(p, called, i))
			continue;
		fprintf(memory.to, "%s%s", named++ ? ", " : "", f->name);
	}
	free(called);
	return utf8_memory_end(&memory);
}

double elsewhere_time_s(const struct report *r)
{
	const struct report_threads_time *t = programs_time(r);
	double s = t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s + t->asleep_in_calls_s +
		   t->not_recorded_s + (r->overloaded ? 0 : t->runnable_s);

	return t->known && s > 0 ? s : all_time_s(r);
}

double elsewhere_surely_s(const struct report_elsewhere *e)
{
	return fmax(e->time_s - 2 * e->error_s, 0);
}

double elsewhere_computing(const struct report *r)
{
	const struct report_threads_time *t = programs_time(r);
	bool known = t->known && r->time_ns > 0;
	double all = elsewhere_time_s(r),
	       cpu = known ? threads_time_cpu(r, t).outside_s : r->ledger.cpu_s - r->calls_ns / 1e9;

	for (const struct report_elsewhere *e = r->elsewhere; e < r->elsewhere + r->elsewheres; e++)
		if (e->time_s > 0)
			cpu -= fmax(elsewhere_surely_s(e) - e->waiting_s, 0) * e->own_s / e->time_s;
	return numbers_share(cpu, all);
}

/* ---- without any calls: what is known is said, and else what may be ---- */

#define MUCH_COMPUTING 0.5

/* What the filters leave out, what was selected, and what other groups would record: in any of the
 * time, or much of it. */
static void put_choices(FILE *to, const struct report *r, bool any)
{
	bool much = r->elsewheres && r->elsewhere[0].share >= LEAST_SHARE;
	char *filters = filter_summary_describe(r->profile), *missed = elsewhere_not_called(r),
	     *looked = any || much ? elsewhere_describe(r) : NULL;

	if (filters)
		fprintf(to, " The filters (%s) may have left all calls out.", filters);
	if (missed)
		fprintf(to, " The selected functions were never called: %s.", missed);
	if (looked)
		fprintf(to, " %s.", looked);
	free(filters);
	free(missed);
	free(looked);
}

void no_calls_warn(struct report *r)
{
	double computing = elsewhere_computing(r);
	struct utf8_memory memory;
	uint64_t processes;

	if (r->calls)
		return;
	uint32_t inside = attach_summary_of(r->profile, &processes).in_calls;
	utf8_memory_begin(&memory);
	if (memory.to && inside)
		fprintf(memory.to,
			" Calls were in progress in %" PRIu32 " thread%s: see `scprof dump`.",
			inside, inside == 1 ? "" : "s");
	if (memory.to && computing >= MUCH_COMPUTING)
		fprintf(memory.to, " %s %% of the time%s is computing%s.",
			numbered_digits(100 * computing, 2).text,
			r->overloaded ? " with a CPU" : "",
			r->profile->samples ? ": see COMPUTING" : "");
	if (memory.to)
		put_choices(memory.to, r, !(computing >= MUCH_COMPUTING && r->profile->samples));
	char *text = utf8_memory_end(&memory);
	if (text && text[strlen(text) - 1] == '.')
		text[strlen(text) - 1] = '\0';
	warning_list_note(r, "no-calls", "No call was recorded.%s",
			  text ? text
			       : " The program made none of the functions that -g names. A static "
				 "part of it, system calls of its own, and what it starts with a "
				 "cleared environment do not show");
	free(text);
}
