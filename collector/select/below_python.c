// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/select/below_python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"

static bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool below_python_is_object(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

	return begins_with(file, "python") || begins_with(file, "libpython");
}

bool below_python_is_own(const char *symbol)
{
	return begins_with(symbol + (*symbol == '_'), "Py");
}

static bool is_source(const char *file)
{
	size_t length = strlen(file);

	return length > 3 && !strcmp(file + length - 3, ".py");
}

bool below_python_may_mean(const struct symbol_pattern *p, bool is_python)
{
	/* a list that the process reads has no commas and lines in its names */
	if (strpbrk(p->text, "( ~,\n") || strstr(p->text, "::"))
		return false;
	if (p->library)
		return is_source(p->library) || (is_python && !strstr(p->library, ".so") &&
						 !below_python_is_object(p->library));
	return is_python || strchr(p->name, '.');
}

int below_python_collect(struct below *b, struct profile_error *err)
{
	size_t room = 1, at = 0;
	bool any = false;

	for (size_t i = 0; i < b->patterns.count; i++)
		room += strlen(b->patterns.list[i].text) + 2;
	b->names = malloc(room);
	if (!b->names) {
		error_set(err, "out of memory");
		return -1;
	}
	for (size_t i = 0; i < b->patterns.count; i++) {
		const struct symbol_pattern *p = &b->patterns.list[i];

		if (!below_python_may_mean(p, b->is_python))
			continue;
		any |= !p->takes_out;
		at += (size_t)sprintf(b->names + at, "%s%s\n", p->takes_out ? "!" : "", p->text);
	}
	b->names[at] = '\0';
	if (at >= SCP_BELOW_NAMES_BYTES) {
		error_set(
			err,
			"--below: patterns that may mean Python functions have more than %u bytes; "
			"shorten them by globs",
			SCP_BELOW_NAMES_BYTES - 1);
		return -1;
	}
	if (!any) {
		free(b->names);
		b->names = NULL;
	}
	return 0;
}
