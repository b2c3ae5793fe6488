// SPDX-License-Identifier: GPL-3.0-or-later
/* One clause a filter, in the order in which they were noted. */
#include "report/findings/findings.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"
#include "report/wording/warning_list.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SAME_START_NS 1000000000u /* the kernel tells starts in hundredths of a second */

static const struct {
	const char *key, *before, *behind;
} clauses[] = {
	{"below=", "only calls below ", ""},
	{"thread=", "only threads named ", ""},
	{"depth=", "the innermost ", " frames of each path"},
	/* native=: nothing is left out by that */
	{"python=", "C frames, no Python functions", NULL},
	{"after=", "from ", " after the start on"},
	{"for=", "for ", " each time"},
	{"signal=", "stopped and started by ", ""},
	{"until=", "until the means were known to ", ""},
	{"stopped=", "begun stopped", NULL}, /* NULL: without the value */
};

static const struct {
	const char *key, *variable, *why;
} ignored[] = {
	{"", "SCPROF_BELOW", "it is too long, or names a file, which only `scprof run` reads"},
	{"", "SCPROF_DEPTH", "it is not a number of frames between 1 and 192"},
	{"signal=", "SCPROF_SIGNAL",
	 "the program has a use for that signal, or it is neither USR1 nor USR2. `scprof run "
	 "--signal` takes it without disturbing the program"},
	{"after=", "SCPROF_AFTER", "only `scprof run` keeps the time"},
	{"for=", "SCPROF_FOR", "only `scprof run` keeps the time"},
};

/* A variable that was set, but is not in force; or --below, where nobody looked at the paths. */
static bool is_ignored(const struct profile *p, const char *key)
{
	if (!strcmp(key, "below=") && !p->below.filtered)
		return true;
	for (const char *v = NULL; (v = filters_text(p, SCP_FILTER_IGNORED, v));)
		for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
			if (!strcmp(ignored[i].key, key) && !strcmp(ignored[i].variable, v))
				return true;
	return false;
}

char *filter_summary_describe(const struct profile *p)
{
	struct utf8_memory memory;
	const char *before = "";

	utf8_memory_begin(&memory);
	for (size_t i = 0; memory.to && i < sizeof(clauses) / sizeof(*clauses); i++)
		for (const char *v = NULL; (v = filters_text(p, clauses[i].key, v));) {
			if (is_ignored(p, clauses[i].key))
				continue;
			fprintf(memory.to, "%s%s%s%s", before, clauses[i].before,
				clauses[i].behind ? v : "",
				clauses[i].behind ? clauses[i].behind : "");
			before = "; ";
		}
	return utf8_memory_end(&memory);
}

double filter_summary_recorded_share(const struct profile *p)
{
	if (!(p->flags & SCP_FILE_WINDOWS) || !p->recorded_of_ns)
		return NAN;
	return (double)p->recorded_ns / (double)p->recorded_of_ns;
}

void filter_summary_warn(struct report *r)
{
	const struct profile *p = r->profile;

	for (const char *v = NULL; (v = filters_text(p, SCP_FILTER_IGNORED, v));)
		for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
			if (!strcmp(ignored[i].variable, v))
				warning_list_note(r, "setting-ignored", "%s was set, but %s", v,
						  ignored[i].why);
	if (p->flags & SCP_FILE_FILTERS_DIFFER)
		warning_list_note(r, "profiles-differ",
				  "The profiles were not recorded with the same filters");
	if (*p->below.unmatched)
		warning_list_note(r, "setting-ignored",
				  "--below: no call path has a function that '%s' means",
				  p->below.unmatched);
	if (p->below.cut_paths)
		warning_list_note(
			r, "calls-skipped",
			"On %" PRIu32
			" paths it is not known whether they are below a function of --below: "
			"their calls are left out",
			p->below.cut_paths);
}

/* What was done to processes that the tool went to while they ran. Numbers come from a profile,
 * which may be anybody's: they are added up without wrapping. */

bool attach_summary_is_again(const struct profile *p)
{
	const struct prof_process *q = p->process;
	bool all = p->processes > 1;

	for (uint32_t i = 0; i < p->processes; i++) {
		uint64_t later = q[i].start_real_ns - q[i].attached.ran_ns -
				 (q->start_real_ns - q->attached.ran_ns);

		all = all && q[i].attached.ran_ns && q[i].count == 1 && q[i].pid == q->pid &&
		      later + SAME_START_NS <= 2 * SAME_START_NS;
	}
	return all;
}

struct prof_attached attach_summary_of(const struct profile *p, uint64_t *processes)
{
	struct prof_attached all = {0};

	*processes = 0;
	for (uint32_t i = 0; i < p->processes; i++) {
		if (p->process[i].attached.known)
			*processes += p->process[i].count;
		fold_attached(&all, &p->process[i].attached);
	}
	return all;
}

/* What threads did when recording began. */
static void describe_threads(const struct prof_attached *a, char *out, size_t room)
{
	*out = '\0';
	if (a->in_calls && a->threads == 1)
		snprintf(out, room, "; it was inside a call then, which is not recorded");
	else if (a->in_calls)
		snprintf(out, room,
			 "; %" PRIu32 " of them %s inside a call then, which is not recorded",
			 a->in_calls, a->in_calls == 1 ? "was" : "were");
}

char *attach_summary_describe(const struct profile *p, bool utf8)
{
	uint64_t processes;
	struct prof_attached a = attach_summary_of(p, &processes);
	char held[80] = "none of which was held up", of[48] = "", in_calls[96];

	if (!a.known)
		return NULL;
	describe_threads(&a, in_calls, sizeof(in_calls));
	if (attach_summary_is_again(p))
		snprintf(of, sizeof(of), " in %" PRIu32 " recordings", p->processes);
	else if (processes > 1)
		snprintf(of, sizeof(of), " of %" PRIu64 " processes", processes);
	if (!(a.flags & SCP_ATTACHED_WOKEN) && a.stopped_ns)
		snprintf(held, sizeof(held), "%s held up for %s at most",
			 a.threads == 1 ? "which was" : "of which one at a time was",
			 numbered_duration((double)a.stopped_ns, utf8).text);
	if (!a.threads) /* by the page's file: nothing else is known of them */
		return strdup("by the file of their page, without stopping a thread");
	return utf8_text("to %" PRIu32 " thread%s%s, %s%s", a.threads, a.threads == 1 ? "" : "s",
			 of, held, in_calls);
}

void attach_summary_warn(struct report *r)
{
	uint64_t processes;
	struct prof_attached a = attach_summary_of(r->profile, &processes);

	if (!a.known)
		return;
	if (attach_summary_is_again(r->profile))
		processes = 1;
	warning_list_note(r, "attached",
			  "Recording began while %" PRIu64 " process%s ran: %" PRIu32
			  " slots of %" PRIu32 " objects led to scprof",
			  processes, processes == 1 ? "" : "es", a.slots.written, a.slots.objects);
	if (a.slots.failed)
		warning_list_note(r, "slots-failed", "%" PRIu32 " slots could not be made writable",
				  a.slots.failed);
	if (a.slots.changed)
		warning_list_note(r, "slots-failed",
				  "%" PRIu32
				  " slots had been changed by somebody else, and are left so",
				  a.slots.changed);
}
