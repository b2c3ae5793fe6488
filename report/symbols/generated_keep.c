// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/symbols/function_names.h"

#include <stdlib.h>
#include <unistd.h>

#include "profile/base/array.h"
#include "report/symbols/generated.h"

struct addresses {
	uint64_t *address; /* in the call instruction, where the frame is a return address */
	uint32_t count, room;
};

static int compare_addresses(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static bool add_path(struct addresses *a, const struct prof_path *path)
{
	for (uint32_t i = 0; i < path->frames; i++) {
		const struct prof_frame *f = &path->frame[i];
		uint64_t *grown;

		if (f->module != PROF_NO_MODULE)
			continue;
		grown = array_room(a->address, &a->room, a->count, sizeof(*grown));
		if (!grown)
			return false;
		a->address = grown;
		grown[a->count++] = f->offset - (f->exact || !f->offset ? 0 : 1);
	}
	return true;
}

/* Ascending, each once. */
static struct addresses collect(const struct profile *p)
{
	struct addresses a = {0};
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->paths && add_path(&a, &p->path[i]); i++)
		;
	if (a.count)
		qsort(a.address, a.count, sizeof(*a.address), compare_addresses);
	for (uint32_t i = 0; i < a.count; i++)
		if (!kept || a.address[i] != a.address[kept - 1])
			a.address[kept++] = a.address[i];
	a.count = kept;
	return a;
}

void generated_keep(struct profile *p)
{
	struct symbolize_files files = {.guarded = p->foreign && !geteuid()};
	struct addresses a = collect(p);
	struct jit *jit = a.count ? symbolize_jit_new(p, &files) : NULL;

	for (uint32_t i = 0; jit && i < a.count; i++) {
		struct jit_name found = symbolize_jit_look_up(jit, a.address[i]);

		if (found.name && found.map)
			source_add_generated(p, &(struct prof_generated){found.start, found.bytes,
									 found.pid,
									 (char *)found.name});
	}
	symbolize_jit_free(jit);
	free(a.address);
}
