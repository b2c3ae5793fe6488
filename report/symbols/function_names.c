// SPDX-License-Identifier: GPL-3.0-or-later
/* Instrumented functions are looked up like frames of their modules. */
#include <stdlib.h>
#include <string.h>

#include "report/symbols/function_names.h"
#include "report/symbols/generated_frames.h"
#include "report/symbols/symbolize.h"

static bool is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash ? slash + 1 : path, name) == 0;
}

/* NULL: not found. Inlined levels do not matter: at its first byte a function is itself,
 * and that is the last level. */
static const char *find_name(const struct profile *p, struct symbolizer *s,
			     const struct prof_function *f, uint64_t offset)
{
	struct prof_frame frame = {.offset = offset, .exact = true};

	for (frame.module = 0; frame.module < p->modules; frame.module++) {
		size_t count;

		if (!is_called(p->module[frame.module].path, f->library))
			continue;
		const struct symbol *symbol = symbolize_frame(s, &frame, &count);

		if (symbol[count - 1].brief)
			return symbol[count - 1].brief;
	}
	return NULL;
}

void function_names_fill(struct profile *p)
{
	struct symbolizer *s = NULL;

	for (uint32_t i = 0; i < p->functions; i++) {
		struct prof_function *f = &p->function[i];
		char *end;
		uint64_t offset = strtoull(f->name, &end, 16);

		if (!(f->group & SCP_GROUP_FUNCTIONS) || strncmp(f->name, "0x", 2) != 0 || *end)
			continue;
		if (!s && !(s = symbolize_new(p)))
			return;
		const char *found = find_name(p, s, f, offset);
		char *name = found ? strdup(found) : NULL;

		if (name) {
			free(f->name);
			f->name = name;
		}
	}
	symbolize_free(s);
	generated_frames_name(p);
}
