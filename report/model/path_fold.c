// SPDX-License-Identifier: GPL-3.0-or-later
/* Paths share their beginnings: each is a number in a tree, outermost function first. */
#include "report/model/path_fold.h"

#include <stdlib.h>

#include "profile/base/array.h"
#include "report/containers/pairs.h"
#include "report/model/frame_symbols.h"
#include "report/model/path_site.h"

struct folding {
	struct report *report;
	struct pairs modules;	/* module and kind, upper half of the place in it */
	struct pairs functions; /* those, lower half */
	struct pairs paths;	/* what is further out, function */
};

/* A name stands for its function's first address; without one the frame's own does. */
static uint32_t function_of(struct folding *f, const struct prof_frame *frame)
{
	size_t count;
	const struct symbol *s = frame_symbols_find(f->report, frame, &count) + count - 1;
	bool source = frame->module == PROF_SOURCE;
	bool named = source || (s->function && s->into <= frame->offset);
	uint64_t place = !named	  ? frame->offset
			 : source ? f->report->profile->source_line[frame->offset].function
			 : s->language
				 ? (uintptr_t)s->linker_name /* one of each, whatever its code */
				 : frame->offset - s->into;
	uint32_t kind = (uint32_t)frame->heuristic << 1 | (uint32_t)named, at;

	/* two bits of a module's number are never in use: a file has fewer */
	at = pairs_add(&f->modules, frame->module << 2 | kind, (uint32_t)(place >> 32));
	return at == PAIRS_NONE ? at : pairs_add(&f->functions, at, (uint32_t)place);
}

static uint32_t number_of(struct folding *f, const struct prof_path *path, bool site)
{
	uint32_t at = pairs_add(&f->paths, PAIRS_NONE, path->flags);
	uint32_t first = site ? path_site_of(f->report->profile, path) : 0;
	uint32_t end = site && path->frames ? first + 1 : path->frames;

	for (uint32_t i = end; at != PAIRS_NONE && i-- > first;) {
		uint32_t function = function_of(f, &path->frame[i]);

		at = function == PAIRS_NONE ? function : pairs_add(&f->paths, at, function);
	}
	return at;
}

uint32_t *path_fold_numbers(struct report *r, bool site)
{
	const struct profile *p = r->profile;
	struct folding f = {.report = r};
	uint32_t *number = array_alloc(((size_t)p->paths + 1) * sizeof(*number));
	bool failed = !number;

	for (uint32_t i = 0; !failed && i < p->paths; i++) {
		number[i] = number_of(&f, &p->path[i], site);
		failed = number[i] == PAIRS_NONE;
	}
	pairs_clear(&f.modules);
	pairs_clear(&f.functions);
	pairs_clear(&f.paths);
	if (!failed)
		return number;
	free(number);
	return NULL;
}
