// SPDX-License-Identifier: GPL-3.0-or-later
/* What samples refer to: locations, functions, mappings.
 *
 * The schema asks for numbers that are unique; Parca refuses a profile whose mappings, locations
 * or functions are not numbered 1, 2, 3... in their order in the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/pprof/pprof_write.h"
#include "report/wording/utf8.h"

static void put_function(struct pprof_writer *w, uint32_t number)
{
	const struct stacks_function *f = &w->stacks.function[number];
	const char *file = stacks_file(&w->stacks, number);
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions[] = {&function};

	function.id = (uint64_t)number + 1;
	function.name = pprof_write_string(w, stacks_name(&w->stacks, number));
	function.system_name = pprof_write_string(w, w->stacks.names.text[f->linker_name]);
	function.filename = file ? pprof_write_string(w, file) : 0;
	function.start_line = f->declared;
	part.function = functions;
	part.n_function = 1;
	pprof_write_message(w, &part);
}

static void put_location(struct pprof_writer *w, Pprof__Location *location, Pprof__Line *line)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Line *lines[STACKS_PLACES];

	for (size_t i = 0; i < location->n_line; i++)
		lines[i] = &line[i];
	location->line = lines;
	part.location = &location;
	part.n_location = 1;
	pprof_write_message(w, &part);
}

static struct pprof_mapped *mapped_of(const struct pprof_writer *w, const struct stacks_frame *f)
{
	return f->frame.module < w->stacks.report->profile->modules ? &w->mapped[f->frame.module]
								    : NULL;
}

/* Frames without a name are left to pprof, which may find one by the address. It looks up only
 * mappings in which no frame has a name; other readers drop nameless frames. */
static bool has_lines(const struct pprof_writer *w, const struct stacks_frame *f)
{
	const struct pprof_mapped *m = mapped_of(w, f);

	return f->named || !m || m->functions || !f->frame.offset;
}

static void put_frame_location(struct pprof_writer *w, uint64_t id, uint32_t number)
{
	const struct stacks_frame *f = &w->stacks.frame[number];
	const struct pprof_mapped *m = mapped_of(w, f);
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line line[STACKS_PLACES];

	location.id = id;
	location.address = f->frame.module == PROF_SOURCE ? 0 : f->frame.offset;
	for (uint32_t i = 0; i < f->places; i++) {
		const struct stacks_place *p = &w->stacks.place[f->first + i];

		pprof__line__init(&line[i]);
		line[i].function_id = (uint64_t)p->function + 1;
		line[i].line = p->line;
	}
	location.mapping_id = m ? m->id : 0;
	location.n_line = has_lines(w, f) ? f->places : 0;
	put_location(w, &location, line);
}

static void put_leaf_location(struct pprof_writer *w, uint64_t id, uint32_t number)
{
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line line = PPROF__LINE__INIT;

	location.id = id;
	line.function_id = (uint64_t)number + 1;
	location.n_line = 1;
	put_location(w, &location, &line);
}

/* Addresses are offsets in files, not in a process: pprof takes a mapping from 0 to 0 as adjusted
 * already. */
static void put_mapping(struct pprof_writer *w, uint32_t number)
{
	const struct prof_module *m = &w->stacks.report->profile->module[number];
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings[] = {&mapping};
	char hex[2 * SCP_BUILD_ID_MAX + 1] = "", *path = utf8_clean(m->path, true);

	for (uint32_t i = 0; i < m->build_id_bytes; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", m->build_id[i]);
	mapping.id = w->mapped[number].id;
	mapping.filename = pprof_write_string(w, path ? path : "");
	mapping.build_id = pprof_write_string(w, hex);
	mapping.has_functions = w->mapped[number].functions;
	mapping.has_filenames = mapping.has_line_numbers = w->mapped[number].lines;
	mapping.has_inline_frames = w->mapped[number].lines;
	part.mapping = mappings;
	part.n_mapping = 1;
	pprof_write_message(w, &part);
	free(path);
}

static bool is_program(const struct profile *p, uint32_t module)
{
	return p->processes && p->process[0].exe &&
	       !strcmp(p->module[module].path, p->process[0].exe);
}

/* Only modules with frames; the program itself first, since readers take the first mapping for
 * it. */
static void number_mappings(struct pprof_writer *w)
{
	const struct profile *p = w->stacks.report->profile;
	uint64_t next = 1;

	for (uint32_t i = 0; i < w->stacks.frames; i++) {
		const struct stacks_frame *f = &w->stacks.frame[i];
		struct pprof_mapped *m = mapped_of(w, f);

		if (!m)
			continue;
		m->id = 1;
		m->functions |= f->named || w->all_named;
		m->lines |= f->places && w->stacks.place[f->first].line;
	}
	for (int program = 1; program >= 0; program--)
		for (uint32_t i = 0; i < p->modules; i++)
			if (w->mapped[i].id && is_program(p, i) == program)
				w->mapped[i].id = next++;
}

static void put_mappings(struct pprof_writer *w)
{
	for (int program = 1; program >= 0; program--)
		for (uint32_t i = 0; i < w->stacks.report->profile->modules; i++)
			if (w->mapped[i].id && is_program(w->stacks.report->profile, i) == program)
				put_mapping(w, i);
}

void pprof_tables_write(struct pprof_writer *w)
{
	number_mappings(w);
	for (uint64_t i = 0; i < w->places && !w->failed; i++)
		if (w->place[i].leaf)
			put_leaf_location(w, i + 1, w->place[i].number);
		else
			put_frame_location(w, i + 1, w->place[i].number);
	for (uint32_t i = 0; i < w->stacks.functions; i++)
		put_function(w, i);
	put_mappings(w);
}
