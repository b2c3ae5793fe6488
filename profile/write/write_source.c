// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions stand before the lines that name them. */
#include "profile/write/write_source.h"

#include <string.h>

static void write_function(struct image *img, const struct prof_source_function *f, uint32_t id)
{
	size_t name_bytes = strlen(f->name) + 1, file_bytes = strlen(f->file) + 1;
	struct scp_source_function *r = image_optional_record(
		img, SCP_OPTIONAL_SOURCE, 0, SCP_REC_SOURCE_FUNCTION,
		offsetof(struct scp_source_function, strings) + name_bytes + file_bytes);

	if (!r)
		return;
	r->id = id;
	r->language = f->language;
	r->first_line = f->first_line;
	r->name_bytes = (uint32_t)name_bytes;
	r->file_bytes = (uint32_t)file_bytes;
	memcpy(r->strings, f->name, name_bytes);
	memcpy(r->strings + name_bytes, f->file, file_bytes);
}

static void write_line(struct image *img, const struct prof_source_line *l, uint32_t id)
{
	struct scp_source_line *r =
		image_optional_record(img, SCP_OPTIONAL_SOURCE, 0, SCP_REC_SOURCE_LINE, sizeof *r);

	if (!r)
		return;
	r->id = id;
	r->function = l->function + 1;
	r->line = l->line;
	r->column = l->column;
	r->end_column = l->end_column;
	r->instruction = l->instruction;
}

static void write_generated(struct image *img, const struct prof_generated *g, uint32_t id)
{
	size_t name_bytes = strlen(g->name) + 1;
	struct scp_generated *r =
		image_optional_record(img, SCP_OPTIONAL_SOURCE, 0, SCP_REC_GENERATED,
				      offsetof(struct scp_generated, name) + name_bytes);

	if (!r)
		return;
	r->id = id;
	r->start = g->start;
	r->bytes = g->bytes;
	r->pid = g->pid;
	r->name_bytes = (uint32_t)name_bytes;
	memcpy(r->name, g->name, name_bytes);
}

void write_source(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->source_functions; i++)
		write_function(img, &p->source_function[i], i + 1);
	for (uint32_t i = 0; i < p->source_lines; i++)
		write_line(img, &p->source_line[i], i + 1);
	for (uint32_t i = 0; i < p->generateds; i++)
		write_generated(img, &p->generated[i], i + 1);
	if (img->chunk)
		image_close_chunk(img);
}
