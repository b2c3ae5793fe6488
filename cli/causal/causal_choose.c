// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/causal/causal_private.h"

#include <stdlib.h>
#include <string.h>

#include "collector/launch/environment.h"
#include "collector/launch/program.h"
#include "collector/select/selection.h"
#include "profile/base/words.h"

/* Less of a CPU, had it one to itself, is not worth a delay: making it faster brings nothing. */
#define NOTICEABLE 0.0005

bool causal_choose_matches(const struct causal_sites *s, const struct causal_found *found,
			   const char *patterns)
{
	return found->function && causal_sites_match(s, found->row, found->function, patterns);
}

static bool is_region(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; p && i < p->functions; i++)
		if (p->function[i].group & SCP_GROUP_REGION && !strcmp(p->function[i].name, name))
			return true;
	return false;
}

/* The unit's region, or from one unit to the next by points: that it costs what it takes needs no
 * experiment. */
static bool is_unit_itself(const struct profile *p, const char *function, const char *progress)
{
	size_t length = strlen(progress);

	if (!function || strncmp(function, progress, length) != 0)
		return false;
	if (!function[length])
		return is_region(p, progress);
	return !strncmp(function + length, " -> ", 4) && !strcmp(function + length + 4, progress);
}

bool causal_choose_sites(void *choice, struct causal_candidate *c, size_t count)
{
	struct causal_choice *choose = choice;
	enum scp_causal_by by = choose->o->wishes.of_page.by;
	const char *at = choose->o->at ? choose->o->at : choose->o->confirm;
	struct causal_sites sites;
	bool any = false;

	/* What cannot be read tells nothing against a site. */
	causal_sites_read(&sites, choose->directory, by);
	for (size_t i = 0; i < count; i++) {
		struct causal_found found = causal_sites_find(&sites, by, &c[i].site);

		c[i].busy = c[i].calls_s * found.mean.value;
		if (at)
			c[i].wanted = causal_choose_matches(&sites, &found, at);
		else
			c[i].wanted =
				c[i].calls_s > 0 && !(c[i].busy * c[i].stretch < NOTICEABLE) &&
				!is_unit_itself(sites.profile, found.function, choose->o->function);
		any |= c[i].wanted;
	}
	causal_sites_free(&sites);
	choose->none_matched = at && !any;
	return any;
}

/* The program whose libraries are looked at; "": none. */
static void find_program(const struct causal_options *o, char *path, size_t size)
{
	static struct program p; /* paths: too large for the stack */

	if (o->attach) {
		snprintf(path, size, "/proc/%d/exe", (int)o->attach);
		return;
	}
	program_examine(o->run.command[0], &p);
	snprintf(path, size, "%s", p.runner);
}

static bool is_of_a_library(const char *program, const char *function)
{
	struct selection selection = {0};
	struct symbol_patterns patterns = {0};
	struct profile_error err;
	char library[PATH_MAX];
	bool found = !environment_find_library(library, sizeof(library), &err) &&
		     !symbol_pattern_parse(NULL, function, &patterns, &err) &&
		     !selection_open(&selection, program, library, NULL, &err) &&
		     !selection_resolve(&selection, &patterns, &err) && selection.count;

	selection_close(&selection);
	symbol_pattern_free(&patterns);
	return found;
}

/* Groups of libscprof.so's own functions: those that always record one, and all that may. */
#define SOCKET	SCP_GROUP_SOCKET
#define IO	SCP_GROUP_IO
#define WAIT	SCP_GROUP_WAIT
#define RESOLVE SCP_GROUP_RESOLVE
static const struct {
	const char *name;
	unsigned always, any;
} wrapped[] = {
#define SCP_WRAP(type, symbol, shown, groups, if_socket, ...)                                      \
	{#shown, groups, (groups) | (if_socket)},
#define SCP_SYSCALL(name, groups, ...) {#name, groups, groups},
#include "preload/function/wrappers.def"
};
#undef SCP_WRAP
#undef SCP_SYSCALL

static const struct {
	const char *name;
	unsigned group;
} groups[] = {{"socket", SOCKET},
	      {"io", IO},
	      {"wait", WAIT},
	      {"resolve", RESOLVE},
	      {"all", SCP_GROUP_ALL}};

static unsigned groups_of(const char *list)
{
	unsigned found = 0;

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (words_have(list, ",", groups[i].name))
			found |= groups[i].group;
	return found;
}

static void join(const char **list, char *to, size_t size, const char *first, const char *more)
{
	char before[8192];

	snprintf(before, sizeof(before), "%s", *list ? *list : first);
	if (snprintf(to, size, "%s%s%s", before, *before ? "," : "", more) < (int)size)
		*list = to;
}

/* True: the library has a wrapper for it, and it is in a group that is on. Without -g a function
 * that is on for sockets only is recorded always. */
static bool record_wrapped(struct causal_options *o, const char *name, bool given)
{
	static char list[256];
	const char *now = o->run.groups ? o->run.groups : "socket,wait,region";
	size_t count = sizeof(wrapped) / sizeof(*wrapped), i = 0;

	while (i < count && strcmp(wrapped[i].name, name) != 0)
		i++;
	if (i == count)
		return false;
	if (groups_of(now) & (given ? wrapped[i].any : wrapped[i].always))
		return true;
	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++)
		if (groups[g].group & wrapped[i].always) {
			join(&o->run.groups, list, sizeof(list), now, groups[g].name);
			break;
		}
	return true;
}

/* The functions of a list of FUNCTION[@FRAME]; globs mean what is recorded anyway. */
static void record_all(struct causal_options *o, const char *program, const char *names, bool given)
{
	static char symbols[8192];
	char name[256];

	while (names && words_next(&names, ",", name, sizeof(name))) {
		name[strcspn(name, "@")] = '\0';
		if (strpbrk(name, "*?[!#") || record_wrapped(o, name, given) || !*program ||
		    !is_of_a_library(program, name))
			continue;
		join(&o->run.symbols, symbols, sizeof(symbols), "", name);
	}
}

void causal_choose_recorded(struct causal_options *o)
{
	char program[PATH_MAX];
	const char *variable = getenv("SCPROF_GROUPS");
	bool given = o->run.groups || (variable && *variable);

	if (!o->run.groups && given)
		o->run.groups = variable;
	find_program(o, program, sizeof(program));
	record_all(o, program, o->function, given);
	record_all(o, program, o->at, given);
	record_all(o, program, o->confirm, given);
}
