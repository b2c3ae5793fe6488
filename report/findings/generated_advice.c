// SPDX-License-Identifier: GPL-3.0-or-later
/* The runtime that made the code is on the same path: its functions called the code, or are called
 * by it. So its files tell which one it is, whatever the program is called. */
#include "report/findings/findings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/wording/warning_list.h"
#include "report/wording/utf8.h"

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

/* Code that shows that functions of the language ran: it has no unwind table. */
static bool tells(const struct profile *p, const uint8_t *module, const struct prof_frame *f)
{
	return f->module == PROF_NO_MODULE || f->module == PROF_SOURCE ||
	       (f->heuristic && f->module < p->modules && module[f->module] == NODE);
}

static bool is_unnamed(const struct prof_frame *f, const struct symbol *s)
{
	if (f->module == PROF_NO_MODULE)
		return !s->function;
	return s->function && !strcmp(s->function, "Builtins_InterpreterEntryTrampoline");
}

/* NONE: no code without a name, or beside code that has one: the options were given, and what the
 * runtime made for itself is not in its map. */
static enum runtime unnamed_of(struct report *r, const uint8_t *module,
			       const struct prof_path *path)
{
	enum runtime found = NONE;
	bool unnamed = false;

	for (uint32_t i = 0; i < path->frames; i++)
		if (path->frame[i].module < r->profile->modules && module[path->frame[i].module])
			found = module[path->frame[i].module];
	for (uint32_t i = 0; found && i < path->frames; i++) {
		const struct symbol *s;
		size_t count;

		if (!tells(r->profile, module, &path->frame[i]))
			continue;
		s = frame_symbols_find(r, &path->frame[i], &count);
		if (s->language && strcmp(s->language, "python") != 0)
			return NONE;
		unnamed |= is_unnamed(&path->frame[i], s);
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
	for (enum runtime i = NODE; i < RUNTIMES; i++)
		if (paths[i])
			warning_list_note(r, "unnamed-code",
					  "%" PRIu32 " call paths go through %s without names",
					  paths[i], i == NODE ? "JavaScript" : "Java");
}
