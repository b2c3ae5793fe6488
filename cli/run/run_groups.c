// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run/run_groups.h"

#include <stdio.h>
#include <string.h>

#include "collector/select/symbol_pattern.h"
#include "profile/base/error.h"

/* A group that the library has wrappers for. "none" is set by an outer `scprof run`. */
static bool is_built_in(const char *name, size_t length)
{
	static const char known[] = ",socket,io,wait,resolve,region,functions,all,none,";
	char word[32];

	snprintf(word, sizeof(word), ",%.*s,", (int)length, name);
	return length && length < sizeof(word) - 2 && strstr(known, word);
}

/* There is room for each once: a repeated one is dropped. */
static void add(char *list, size_t size, const char *text, size_t length)
{
	size_t at = strlen(list);

	if (at + length + 2 <= size)
		sprintf(list + at, "%s%.*s", at ? "," : "", (int)length, text);
}

int run_groups_parse(const char *list, struct run_options *o, struct profile_error *err)
{
	o->groups = list;
	*o->built_in = *o->ready_made = '\0';
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");
		const char *patterns = symbol_pattern_group(at, length);

		if (is_built_in(at, length)) {
			add(o->built_in, sizeof(o->built_in), at, length);
		} else if (!patterns) {
			error_set(
				err,
				"no group is called '%.*s'.\nThere are: socket, io, wait, resolve, "
				"region, functions, all; of libraries: %s",
				(int)length, at, symbol_pattern_groups);
			return -1;
		} else if (!strstr(o->ready_made, patterns)) {
			add(o->ready_made, sizeof(o->ready_made), patterns, strlen(patterns));
		}
		at += length;
		if (!*at)
			break;
	}
	o->only_ready_made = !*o->built_in;
	if (o->only_ready_made)
		strcpy(o->built_in, "none");
	return 0;
}
