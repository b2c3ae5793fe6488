// SPDX-License-Identifier: GPL-3.0-or-later
/* Some groups the library has wrappers for; the others are patterns of -s. */
#include "cli/run/run_groups.h"

#include <stdio.h>
#include <string.h>

#include "cli/messages/say.h"
#include "collector/select/symbol_pattern.h"

/* A group that the library has wrappers for. */
static bool is_built_in(const char *name, size_t length)
{
	static const char *const known[] = {
		"socket", "io",	       "wait", "resolve",
		"region", "functions", "all",  "none" /* set by an outer `scprof run` */};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]) == length && !strncmp(name, known[i], length))
			return true;
	return false;
}

/* There is room for each once; a repeated name may be dropped. */
static void add_built_in(const char *name, size_t length, struct run_options *o)
{
	size_t at = o->only_ready_made ? 0 : strlen(o->built_in);

	if (at + length + 2 <= sizeof(o->built_in))
		sprintf(o->built_in + at, "%s%.*s", at ? "," : "", (int)length, name);
}

static int add_ready_made(const char *from, const char *name, size_t length, struct run_options *o)
{
	const char *patterns = symbol_pattern_group(name, length);
	size_t at = strlen(o->ready_made), room = sizeof(o->ready_made) - at;

	if (!patterns) {
		say_format("%s: no group is called '%.*s'.\nThere are: socket, io, wait, resolve, "
			   "region, functions, all; of libraries: %s",
			   from, (int)length, name, symbol_pattern_groups);
		return -1;
	}
	if (strstr(o->ready_made, patterns)) /* named twice */
		return 0;
	if ((size_t)snprintf(o->ready_made + at, room, "%s%s", at ? "," : "", patterns) < room)
		return 0;
	say_format("%s: so many groups find no room; name each once", from);
	return -1;
}

int run_groups_parse(const char *from, const char *list, struct run_options *o)
{
	o->groups = list;
	o->only_ready_made = true;
	strcpy(o->built_in, "none");
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");

		if (is_built_in(at, length)) {
			add_built_in(at, length, o);
			o->only_ready_made = false;
		} else if (add_ready_made(from, at, length, o))
			return -1;
		at += length;
		if (!*at)
			return 0;
	}
}
