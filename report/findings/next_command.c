// SPDX-License-Identifier: GPL-3.0-or-later
/* The names that were selected are in no profile as they were asked for; where they are few, those
 * that were found stand for them. */
#include "report/findings/findings.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "profile/base/symbol_pattern.h"

#define LONGEST_LINE  1000 /* bytes of a command that is written out: a profile has twice that */
#define SELECTED_MOST 4	   /* functions that are named again */
#define ATTACHED_MOST 8	   /* processes likewise */
#define BY_DEFAULT    (SCP_GROUP_SOCKET | SCP_GROUP_WAIT | SCP_GROUP_REGION)

static const struct {
	uint32_t group;
	const char *name;
} names[] = {{SCP_GROUP_SOCKET, "socket"}, {SCP_GROUP_WAIT, "wait"},
	     {SCP_GROUP_IO, "io"},	   {SCP_GROUP_RESOLVE, "resolve"},
	     {SCP_GROUP_REGION, "region"}, {SCP_GROUP_FUNCTIONS, "functions"}};

/* In quotes where a shell needs them. */
static void put_word(FILE *to, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=:,./@%";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, to);
		return;
	}
	fputc('\'', to);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, to);
	fputc('\'', to);
}

/* Control characters would not be printed as they are. */
static bool can_be_copied(const char *word)
{
	for (; *word; word++)
		if ((unsigned char)*word < ' ' || *word == 0x7f)
			return false;
	return true;
}

static bool is_written_out(const struct prof_process *p)
{
	size_t bytes = 0;

	for (uint32_t i = 0; p && i < p->argc; i++) {
		if (!can_be_copied(p->argv[i]))
			return false;
		bytes += strlen(p->argv[i]) + 1;
	}
	return bytes && bytes <= LONGEST_LINE;
}

static const struct prof_process *asked(const struct report *r)
{
	return r->runs > 1 && r->programs > 1 ? NULL : r->asked;
}

/* Regions are always asked for, and most programs have none. */
static bool has_regions(const struct profile *p)
{
	for (uint32_t i = 0; i < p->functions; i++)
		if (p->function[i].group & SCP_GROUP_REGION)
			return true;
	return false;
}

/* What stands before the next group. */
static const char *put_own_groups(FILE *to, const struct profile *p, uint32_t more)
{
	uint32_t on = p->groups | more;
	const char *before = " -g ";

	if (!has_regions(p))
		on &= ~SCP_GROUP_REGION;
	if ((on & ~SCP_GROUP_SELECTED & ~SCP_GROUP_REGION) == (BY_DEFAULT & ~SCP_GROUP_REGION))
		return before;
	if ((on & SCP_GROUP_ALL) == SCP_GROUP_ALL) {
		fputs(" -g all", to); /* with regions */
		on &= ~(SCP_GROUP_ALL | SCP_GROUP_REGION);
		before = ",";
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (on & names[i].group) {
			fprintf(to, "%s%s", before, names[i].name);
			before = ",";
		}
	return before;
}

/* Is a function one of these, [LIBRARY:]NAME,...? */
static bool is_among(const char *patterns, const char *function)
{
	char name[64];

	for (const char *at = patterns; *at; at += *at == ',') {
		size_t length = strcspn(at, ","), library = strcspn(at, ":,");

		library = library < length ? library + 1 : 0;
		snprintf(name, sizeof(name), "%.*s", (int)(length - library), at + library);
		if (!fnmatch(name, function, 0))
			return true;
		at += length;
	}
	return false;
}

/* Of libraries, those with a function that was selected, where these are too many to be named. */
static void put_groups(FILE *to, const struct profile *p, uint32_t more, bool too_many)
{
	const char *before = put_own_groups(to, p, more);

	for (const char *at = symbol_pattern_groups; too_many && *at; at += strspn(at, ", ")) {
		size_t length = strcspn(at, ",");
		const char *patterns = symbol_pattern_group(at, length);
		bool in = false;

		for (uint32_t i = 0; patterns && i < p->functions && !in; i++)
			in = p->function[i].group & SCP_GROUP_SELECTED &&
			     is_among(patterns, p->function[i].name);
		if (in) {
			fprintf(to, "%s%.*s", before, (int)length, at);
			before = ",";
		}
		at += length;
	}
}

/* A name of several libraries is one to be asked for. */
static bool is_selected_first(const struct profile *p, uint32_t function)
{
	bool is = p->function[function].group & SCP_GROUP_SELECTED;

	for (uint32_t i = 0; is && i < function; i++)
		if (p->function[i].group & SCP_GROUP_SELECTED &&
		    !strcmp(p->function[i].name, p->function[function].name))
			return false;
	return is;
}

static bool too_many_selected(const struct profile *p)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->functions; i++)
		count += !!(p->function[i].group & SCP_GROUP_SELECTED);
	return count > SELECTED_MOST;
}

static void put_selected(FILE *to, const struct profile *p)
{
	const char *before = " -s ";

	for (uint32_t i = 0; i < p->functions; i++)
		if (is_selected_first(p, i)) {
			fputs(before, to);
			put_word(to, p->function[i].name);
			before = ",";
		}
}

/* What was left out stays out. */
static void put_filters(FILE *to, const struct profile *p)
{
	static const char *const option[][2] = {
		{"below=", "--below"}, {"thread=", "--thread"}, {"depth=", "--depth"}};

	for (size_t i = 0; i < sizeof(option) / sizeof(*option); i++)
		for (const char *v = NULL; (v = filters_text(p, option[i][0], v));)
			if (can_be_copied(v)) {
				fprintf(to, " %s ", option[i][1]);
				put_word(to, v);
			}
}

static void put_program(FILE *to, const struct report *r)
{
	const struct prof_process *p = asked(r);
	bool copied = is_written_out(p);

	if (!copied)
		fputs("COMMAND", to);
	for (uint32_t i = 0; copied && i < p->argc; i++) {
		fputs(i ? " " : "", to);
		put_word(to, p->argv[i]);
	}
}

/* Was scprof in the process, and left it, as no earlier one of that number? */
static bool can_be_attached(const struct profile *p, uint32_t process)
{
	const struct prof_process *q = &p->process[process];

	for (uint32_t i = 0; i < process; i++)
		if (symbolize_pid(&p->process[i]) == symbolize_pid(q))
			return false;
	return q->attached.threads && q->attached.flags & SCP_ATTACHED_DETACHED;
}

/* Those that were attached to together, but not all of very many. */
static void put_attached(FILE *to, const struct report *r)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->processes && count < ATTACHED_MOST; i++)
		if (can_be_attached(r->profile, i) && ++count)
			fprintf(to, " %" PRIu32, symbolize_pid(&r->profile->process[i]));
	if (!count)
		fprintf(to, " %" PRIu32, symbolize_pid(r->asked));
}

bool next_command_dump(FILE *to, const struct report *r)
{
	if (!r->asked || !r->asked->attached.known)
		return false;
	fprintf(to, "scprof dump %" PRIu32, symbolize_pid(r->asked));
	return true;
}

void next_command_run(FILE *to, const struct report *r, uint32_t more, const char *options)
{
	bool attached = r->asked && r->asked->attached.known;

	fputs(attached ? "scprof attach" : "scprof run", to);
	bool too_many = too_many_selected(r->profile);

	put_groups(to, r->profile, more, too_many);
	if (!too_many)
		put_selected(to, r->profile);
	put_filters(to, r->profile);
	fputs(options, to);
	if (attached) {
		put_attached(to, r);
		return;
	}
	fputs(" -- ", to);
	put_program(to, r);
}

/* NULL: that of the process before. */
static const char *file_at(const struct report *r, uint32_t process)
{
	const char *file = r->profile->process[process].file ?: "";

	return process && !strcmp(file, r->profile->process[process - 1].file ?: "") ? NULL : file;
}

void next_command_report(FILE *to, const struct report *r, const char *options)
{
	uint32_t files = r->profile_name ? 0 : r->processes;
	const char *file = r->profile_name ?: "";
	size_t bytes = strlen(file);
	bool whole = can_be_copied(file);

	for (uint32_t i = 0; i < files && whole && bytes <= LONGEST_LINE; i++)
		if ((file = file_at(r, i))) {
			whole = *file && can_be_copied(file);
			bytes += strlen(file) + (bytes ? 1 : 0);
		}
	fprintf(to, "scprof report%s ", options);
	if (!whole || !bytes || bytes > LONGEST_LINE) {
		fputs("PROFILE...", to);
		return;
	}
	if (r->profile_name)
		put_word(to, r->profile_name);
	for (uint32_t i = 0; i < files; i++)
		if ((file = file_at(r, i))) {
			fputs(i ? " " : "", to);
			put_word(to, file);
		}
}
