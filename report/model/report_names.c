// SPDX-License-Identifier: GPL-3.0-or-later
/* The numbers of the format and of the command line, as words. */

#include <string.h>
#include <strings.h>

#include "include/scprof_names.h"
#include "report/model/model.h"
#include "report/model/sites.h"

static const char *const by_names[] = {
	[REPORT_BY_PATH] = "path", [REPORT_BY_SITE] = "site",	  [REPORT_BY_FUNCTION] = "function",
	[REPORT_BY_GAP] = "gap",   [REPORT_BY_THREAD] = "thread", [REPORT_BY_PROCESS] = "process",
};

static const char *const sort_names[REPORT_SORTS] = {
	[REPORT_SORT_TIME] = "time", [REPORT_SORT_CALLS] = "calls", [REPORT_SORT_MEAN] = "mean",
	[REPORT_SORT_MAX] = "max",   [REPORT_SORT_BYTES] = "bytes", [REPORT_SORT_NAME] = "name",
	[REPORT_SORT_CPU] = "cpu",
};

#define FORMAT_NAME(value, name, suffix, print, traits) [value] = (name),
static const char *const format_names[] = {REPORT_FORMATS(FORMAT_NAME)};

#define FORMAT_SUFFIX(value, name, suffix, print, traits) [value] = (suffix),
static const char *const format_suffixes[] = {REPORT_FORMATS(FORMAT_SUFFIX)};

#define FORMAT_LISTED(value, name, suffix, print, traits) ", " name
const char *const report_names_formats = &REPORT_FORMATS(FORMAT_LISTED)[2];

#define SUFFIX_LISTED(value, name, suffix, print, traits) ", " suffix
const char *const report_names_endings = &REPORT_FORMATS(SUFFIX_LISTED)[2];

#define FORMAT_TRAITS(value, name, suffix, print, traits) [value] = (traits),
static const unsigned format_traits[] = {REPORT_FORMATS(FORMAT_TRAITS)};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The number of a name among `names`. -1: it is none of them. */
static int parse(const char *const *names, size_t count, const char *name, unsigned *number)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name)) {
			*number = (unsigned)i;
			return 0;
		}
	return -1;
}

int report_names_parse_by(const char *name, enum report_by *by)
{
	return parse(by_names, COUNT(by_names), name, by);
}

int report_names_parse_format(const char *name, enum report_format *format)
{
	return parse(format_names, COUNT(format_names), name, format);
}

int report_names_parse_sort(const char *name, enum report_sort *sort)
{
	return parse(sort_names, COUNT(sort_names), name, sort);
}

int report_names_format_of(const char *path, enum report_format *format)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < COUNT(format_suffixes); i++) {
		size_t end = strlen(format_suffixes[i]);

		if (length > end && !strcasecmp(path + length - end, format_suffixes[i])) {
			*format = (enum report_format)i;
			return 0;
		}
	}
	return -1;
}

unsigned report_names_format_traits(enum report_format format)
{
	return format_traits[format];
}

int report_names_parse_weight(const char *name, enum report_weight *weight)
{
	for (enum report_weight w = 0; w < REPORT_WEIGHTS; w++)
		if (!strcmp(name, report_weights[w].name)) {
			*weight = w;
			return 0;
		}
	return -1;
}

const char *report_names_path_end(const struct report_site *s)
{
	if (s->overflow)
		return "(no room: path not kept)";
	if (s->path_flags & SCP_PATH_SMALL_STACK)
		return "(caller only: its stack had no room to look further)";
	if (s->path_flags & SCP_PATH_LIMITED)
		return "(outer frames left out: --depth)";
	if (s->path_flags & SCP_PATH_CUT)
		return "(cut here: no unwind information)";
	if (s->path_flags & SCP_PATH_TRUNCATED)
		return "(deeper: outer frames not kept)";
	if (s->path_flags & SCP_PATH_PYTHON_CUT)
		return "(Python frames are missing)";
	return NULL;
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
	static const char *const names[] = {
		[SCP_CLOCK_NONE] = "none",     [SCP_CLOCK_TSC] = "tsc",
		[SCP_CLOCK_COARSE] = "coarse", [SCP_CLOCK_MONOTONIC] = "monotonic",
		[SCP_CLOCK_PAGE] = "page",     [SCP_CLOCK_THREAD_CPU] = "thread-cpu",
		[SCP_CLOCK_DUAL] = "dual",
	};

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

const char *report_names_end(const struct prof_process *p)
{
	static const char *const names[] = {
		[SCP_END_RUNNING] = "running-or-killed",
		[SCP_END_EXIT] = "exit",
		[SCP_END_EXEC] = "exec",
		[SCP_END_QUICK] = "quick-exit",
		[SCP_END_ABORT] = "abort",
		[SCP_END_DETACHED] = "detached",
	};
	static const char *const seen[] = {
		[SCP_END_LIVED] = "running",
		[SCP_END_GONE] = "not-seen",
		[SCP_END_STATUS] = "bare-exit",
	};

	if (p->end.seen == SCP_END_SIGNAL)
		return "killed";
	if (report_names_is_detached(p))
		return "detached";
	if (p->end_state == SCP_END_RUNNING && p->end.seen && p->end.seen < COUNT(seen))
		return seen[p->end.seen];
	return p->end_state < COUNT(names) ? names[p->end_state] : "unknown";
}

/* The group `wait` is in wrappers.def; these are what other groups have, and -s. */
static const char *const waiting_names[] = {SCP_WAITING_NAMES};

static bool is_listed(const char *name)
{
	for (size_t i = 0; i < sizeof(waiting_names) / sizeof(waiting_names[0]); i++)
		if (!strcmp(name, waiting_names[i]))
			return true;
	return false;
}

/* Older C libraries have threads and semaphores in a file of their own. */
static bool is_libc(const char *library)
{
	return !strncmp(library, "libc.", 5) || !strncmp(library, "libpthread.", 11);
}

bool waiting_function(const struct prof_function *f)
{
	if (f->group & SCP_GROUP_WAIT)
		return true;
	if (f->group & SCP_GROUP_ALL)
		return is_listed(f->name);
	return f->group & SCP_GROUP_SELECTED && is_libc(f->library) && is_listed(f->name);
}
