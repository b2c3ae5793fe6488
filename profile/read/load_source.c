// SPDX-License-Identifier: GPL-3.0-or-later
/* All that a file has is taken, in the order of its ids: so what is written reads back in the same
 * order. */
#include "profile/read/load.h"

static int load_functions(struct profile *p, const struct raw_file *raw, uint32_t *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_SOURCE_FUNCTION];

	for (uint32_t i = 0; i < list->count; i++) {
		struct scp_source_function *r = raw_record(raw, &list->ref[i]);
		const struct prof_source_function f = {
			.name = r->strings,
			.file = r->strings + r->name_bytes,
			.first_line = r->first_line,
			.language = r->language,
		};

		map[i] = source_add_function(p, &f);
		if (map[i] == PROF_NONE)
			return -1;
		release_record(raw, &list->ref[i]);
	}
	return 0;
}

static int load_lines(struct profile *p, const struct raw_file *raw, const uint32_t *function,
		      uint32_t *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_SOURCE_LINE];
	const struct raw_list *functions = &raw->list[SCP_REC_SOURCE_FUNCTION];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_source_line *r = raw_record(raw, &list->ref[i]);
		const struct prof_source_line l = {
			.function = function[raw_find(functions, 0, r->function, 0)],
			.line = r->line,
			.column = r->column,
			.end_column = r->end_column,
			.instruction = r->instruction,
		};

		map[i] = source_add_line(p, &l);
		if (map[i] == PROF_NONE)
			return -1;
		release_record(raw, &list->ref[i]);
	}
	return 0;
}

/* In a file of one process, code of all processes is code of this one. */
static int load_generated(struct profile *p, const struct raw_file *raw)
{
	const struct raw_list *list = &raw->list[SCP_REC_GENERATED];
	const struct scp_header *h = raw_header(raw);
	uint32_t pid = h->flags & SCP_FILE_MERGED ? 0 : h->pid;

	for (uint32_t i = 0; i < list->count; i++) {
		struct scp_generated *r = raw_record(raw, &list->ref[i]);
		const struct prof_generated g = {
			.start = r->start,
			.bytes = r->bytes,
			.pid = r->pid ? r->pid : pid,
			.name = r->name,
		};

		if (source_add_generated(p, &g) == PROF_NONE)
			return -1;
		release_record(raw, &list->ref[i]);
	}
	return 0;
}

int load_source(struct profile *p, const struct raw_file *raw, uint32_t *function, uint32_t *line)
{
	return load_functions(p, raw, function) || load_lines(p, raw, function, line) ||
			       load_generated(p, raw)
		       ? -1
		       : 0;
}
