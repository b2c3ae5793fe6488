// SPDX-License-Identifier: GPL-3.0-or-later
/* The runtime that made the code is on the same path: its functions called the code, or are called
 * by it. So its files tell which one it is, whatever the program is called. */
#include "report/model/generated_advice.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/frame_symbols.h"
#include "report/model/warning_list.h"
#include "report/wording/base_name.h"

enum runtime { NONE, NODE, JAVA, RUNTIMES };

static bool is_called(const char *base, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(base, name, n) &&
	       (!base[n] || base[n] == '.' || isdigit((unsigned char)base[n]));
}

static enum runtime runtime_of(const struct profile *p, uint32_t module)
{
	const char *base = base_name(p->module[module].path);

	if (is_called(base, "node") || is_called(base, "nodejs") || is_called(base, "libnode.so"))
		return NODE;
	return is_called(base, "libjvm.so") || is_called(base, "libjava.so") ? JAVA : NONE;
}

/* NONE: no code without a name, or beside code that has one: the options were given, and what the
 * runtime made for itself is not in its map. */
static enum runtime unnamed_of(struct report *r, const uint8_t *module,
			       const struct prof_path *path)
{
	enum runtime found = NONE;
	bool generated = false, unnamed = false;

	for (uint32_t i = 0; i < path->frames; i++) {
		const struct prof_frame *f = &path->frame[i];

		if (f->module < r->profile->modules && module[f->module])
			found = module[f->module];
		generated |= f->module == PROF_NO_MODULE;
	}
	for (uint32_t i = 0; generated && found && i < path->frames; i++) {
		size_t count;
		const struct symbol *s = NULL;

		if (path->frame[i].module == PROF_NO_MODULE)
			s = frame_symbols_find(r, &path->frame[i], &count);
		if (s && s->language)
			return NONE;
		unnamed |= s && !s->function;
	}
	return unnamed ? found : NONE;
}

void generated_advice_add(struct report *r)
{
	const struct profile *p = r->profile;
	uint8_t *module = calloc((size_t)p->modules + 1, sizeof(*module));
	uint32_t paths[RUNTIMES] = {0}, known = 0;

	for (uint32_t i = 0; module && i < p->modules; i++) {
		module[i] = (uint8_t)runtime_of(p, i);
		known += module[i] != NONE;
	}
	for (uint32_t i = 0; known && i < p->paths; i++)
		paths[unnamed_of(r, module, &p->path[i])]++;
	free(module);
	if (paths[NODE])
		warning_list_note(r, "unnamed-javascript",
				  "%" PRIu32 " call paths go through JavaScript without names",
				  paths[NODE]);
	if (paths[JAVA])
		warning_list_note(r, "unnamed-java",
				  "%" PRIu32 " call paths go through Java without names",
				  paths[JAVA]);
}
