// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints a profile's entries with their call paths, for the command tests.
 * Usage: dump_paths PROFILE... Lines, fields separated by tabs:
 *   entry INDEX PID FUNCTION OUTCOME CALLS FLAGS (of the path), and its frames, innermost first:
 *   module PATH OFFSET
 *   source NAME FILE FIRST_LINE LINE COLUMN END_COLUMN INSTRUCTION
 *   address ADDRESS
 * and after all entries the names of generated code:
 *   generated PID START BYTES NAME
 * Offsets and addresses are hexadecimal.
 */
#include <inttypes.h>
#include <stdio.h>

#include "profile/profile.h"

static void print_frame(const struct profile *p, const struct prof_frame *f)
{
	const struct prof_source_function *function;
	const struct prof_source_line *l;

	if (f->module == PROF_NO_MODULE) {
		printf("address\t%" PRIx64 "\n", (uint64_t)f->offset);
		return;
	}
	if (f->module != PROF_SOURCE) {
		printf("module\t%s\t%" PRIx64 "\n", p->module[f->module].path, (uint64_t)f->offset);
		return;
	}
	l = &p->source_line[f->offset];
	function = &p->source_function[l->function];
	printf("source\t%s\t%s\t%u\t%u\t%u\t%u\t%u\n", function->name, function->file,
	       function->first_line, l->line, l->column, l->end_column, l->instruction);
}

int main(int argc, char **argv)
{
	struct profile_error err;
	struct profile *p = profile_open((const char *const *)argv + 1, (size_t)argc - 1, &err);

	if (argc < 2 || !p) {
		fprintf(stderr, "%s\n", p ? "usage: dump_paths PROFILE..." : err.text);
		return 2;
	}
	for (uint32_t i = 0; i < p->entries; i++) {
		const struct prof_entry *e = &p->entry[i];
		const struct prof_path *path = &p->path[e->path];

		printf("entry\t%u\t%u\t%s\t%u\t%" PRIu64 "\t%u\n", i,
		       p->process[p->table[e->table].process].pid, p->function[e->function].name,
		       e->outcome, e->sums.calls, path->flags);
		for (uint32_t k = 0; k < path->frames; k++)
			print_frame(p, &path->frame[k]);
	}
	for (uint32_t i = 0; i < p->generateds; i++) {
		const struct prof_generated *g = &p->generated[i];

		printf("generated\t%u\t%" PRIx64 "\t%" PRIx64 "\t%s\n", g->pid, g->start, g->bytes,
		       g->name);
	}
	profile_free(p);
	return 0;
}
