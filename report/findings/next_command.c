// SPDX-License-Identifier: GPL-3.0-or-later
/* The names that were selected are in no profile as they were asked for; where they are few, those
 * that were found stand for them. */
#include "report/findings/findings.h"

#include <inttypes.h>
#include <string.h>

#include "report/wording/utf8.h"

#define LONGEST_LINE  100 /* bytes of a command that is written out */
#define PIDS_MOST     8
#define SELECTED_MOST 4 /* functions that are named again */
#define BY_DEFAULT    (SCP_GROUP_SOCKET | SCP_GROUP_WAIT | SCP_GROUP_REGION)

static const struct {
	uint32_t group;
	const char *name;
} names[] = {{SCP_GROUP_SOCKET, "socket"}, {SCP_GROUP_WAIT, "wait"},
	     {SCP_GROUP_IO, "io"},	   {SCP_GROUP_RESOLVE, "resolve"},
	     {SCP_GROUP_REGION, "region"}, {SCP_GROUP_FUNCTIONS, "functions"}};

void next_command_word(FILE *to, const char *word)
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

static void put_words(FILE *to, const struct prof_process *p, uint32_t first)
{
	for (uint32_t i = first; i < p->argc; i++) {
		fputs(i > first ? " " : "", to);
		next_command_word(to, p->argv[i]);
	}
}

void next_command_program(FILE *to, const struct report *r)
{
	const struct prof_process *p = asked(r);

	if (!is_written_out(p)) {
		fputs("COMMAND", to);
		return;
	}
	put_words(to, p, 0);
}

/* N of Python 3.N, by the file of the interpreter; 0: the program has no Python functions. */
static unsigned python_minor(const struct profile *p)
{
	unsigned minor = 0;
	bool has = false;

	for (uint32_t i = 0; i < p->source_functions; i++)
		has |= p->source_function[i].language == SCP_LANGUAGE_PYTHON;
	for (uint32_t i = 0; has && !minor && i < p->modules; i++) {
		const char *name = base_name(p->module[i].path);

		if (sscanf(name, "python3.%2u", &minor) != 1)
			sscanf(name, "libpython3.%2u", &minor);
	}
	return minor;
}

/* Can its arguments stand behind "-m cProfile"? A script, or a module. */
static bool takes_cprofile(const struct prof_process *p)
{
	return is_written_out(p) && p->argc > 1 &&
	       !strncmp(base_name(p->argv[0]), "python", strlen("python")) &&
	       (p->argv[1][0] != '-' || !strcmp(p->argv[1], "-m"));
}

void next_command_profile(FILE *to, const struct report *r)
{
	const struct prof_process *p = asked(r);
	unsigned minor = python_minor(r->profile);

	if (minor && minor < 12 && takes_cprofile(p)) {
		next_command_word(to, p->argv[0]);
		fputs(" -m cProfile -s tottime ", to);
		put_words(to, p, 1);
		return;
	}
	fprintf(to, "%sperf record -g -- ", minor >= 12 ? "PYTHONPERFSUPPORT=1 " : "");
	next_command_program(to, r);
}

/* Regions are always asked for, and most programs have none. */
static bool has_regions(const struct profile *p)
{
	for (uint32_t i = 0; i < p->functions; i++)
		if (p->function[i].group & SCP_GROUP_REGION)
			return true;
	return false;
}

static void put_groups(FILE *to, const struct profile *p, uint32_t more)
{
	uint32_t on = p->groups | more;
	const char *before = " -g ";

	if (!has_regions(p))
		on &= ~SCP_GROUP_REGION;
	if ((on & ~SCP_GROUP_SELECTED & ~SCP_GROUP_REGION) == (BY_DEFAULT & ~SCP_GROUP_REGION))
		return;
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

static void put_selected(FILE *to, const struct profile *p)
{
	uint32_t count = 0;
	const char *before = " -s ";

	for (uint32_t i = 0; i < p->functions; i++)
		count += !!(p->function[i].group & SCP_GROUP_SELECTED);
	for (uint32_t i = 0; count <= SELECTED_MOST && i < p->functions; i++)
		if (is_selected_first(p, i)) {
			fputs(before, to);
			next_command_word(to, p->function[i].name);
			before = ",";
		}
}

/* Those that were attached to, as who did so numbers them; some of them where they are many. */
static uint32_t attached_pid(const struct prof_process *p)
{
	return p->attached.pid ? p->attached.pid : p->pid;
}

/* Once, in however many windows. */
static bool is_among(uint32_t pid, const uint32_t *put, uint32_t count)
{
	while (count)
		if (put[--count] == pid)
			return true;
	return false;
}

static void put_pids(FILE *to, const struct profile *p)
{
	uint32_t put[PIDS_MOST], count = 0;

	for (uint32_t i = 0; i < p->processes && count < PIDS_MOST; i++) {
		uint32_t pid = attached_pid(&p->process[i]);

		if (!p->process[i].attached.known || is_among(pid, put, count))
			continue;
		fprintf(to, " %" PRIu32, pid);
		put[count++] = pid;
	}
}

void next_command_run(FILE *to, const struct report *r, uint32_t more, const char *options)
{
	bool attached = r->asked && r->asked->attached.known;

	fputs(attached ? "scprof attach" : "scprof run", to);
	put_groups(to, r->profile, more);
	put_selected(to, r->profile);
	fputs(options, to);
	if (attached) {
		put_pids(to, r->profile);
		return;
	}
	fputs(" -- ", to);
	next_command_program(to, r);
}

void next_command_report(FILE *to, const struct report *r, const char *options)
{
	const char *file = r->profile_name;

	if (!file && r->first)
		file = r->first->file;
	for (uint32_t i = 0; file && !r->profile_name && i < r->processes; i++)
		if (!r->profile->process[i].file || strcmp(r->profile->process[i].file, file))
			file = NULL;
	fprintf(to, "scprof report%s ", options);
	if (file && strlen(file) <= LONGEST_LINE && can_be_copied(file))
		next_command_word(to, file);
	else
		fputs("PROFILE...", to);
}
