// SPDX-License-Identifier: GPL-3.0-or-later
/* The report as a gzipped profile.proto, which Google's pprof, Parca, Pyroscope and speedscope
 * open. A sample is a site: its calls, its time and its bytes; an outcome of its calls other than
 * "completed" is a label. The format has no place for intervals; a comment names the warnings.
 *
 * A protobuf message may be written in parts, which a reader puts together: so samples are written
 * one by one, and what they refer to follows. Memory grows with the number of different frames, not
 * of paths. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/formats.h"
#include "report/render/pprof/pprof_write.h"
#include "report/model/model.h"
#include "report/wording/utf8.h"

/* ---- samples ---- */

/* The location of a frame or function, by its number of stacks. */
static uint64_t location_of(struct pprof_writer *w, uint32_t number, bool leaf)
{
	uint32_t place =
		number == STRING_INDEX_NONE ? PAIRS_NONE : pairs_add(&w->places, number, leaf);

	w->failed |= place == PAIRS_NONE;
	return place == PAIRS_NONE ? 0 : (uint64_t)place + 1;
}

#define LABELS 3

static void add_label(struct pprof_writer *w, Pprof__Sample *to, const char *key, const char *text)
{
	Pprof__Label *l = to->label[to->n_label++];

	pprof__label__init(l);
	l->key = pprof_write_string(w, key);
	l->str = pprof_write_string(w, text);
}

static void put_sample(struct pprof_writer *w, const struct report_site *s)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples[] = {&sample};
	Pprof__Label label[LABELS], *labels[LABELS] = {&label[0], &label[1], &label[2]};
	int64_t value[REPORT_WEIGHTS];
	const struct report *r = w->stacks.report;

	sample.location_id = w->location;
	w->location[sample.n_location_id++] =
		location_of(w, stacks_leaf(&w->stacks, s, false), true);
	for (uint32_t i = 0; i < s->frames; i++)
		w->location[sample.n_location_id++] =
			location_of(w, stacks_frame(&w->stacks, &s->frame[i]), false);
	if (report_names_path_end(s))
		w->location[sample.n_location_id++] =
			location_of(w, stacks_outer(&w->stacks, s), true);
	for (unsigned i = 0; i < w->values; i++)
		value[i] = (int64_t)report_weight_find(w->value[i])->of(s);
	sample.value = value;
	sample.n_value = w->values;
	sample.label = labels;
	if (s->outcome != SCP_COMPLETED && !s->overflow)
		add_label(w, &sample, "outcome", report_names_outcome(s));
	if (s->waits)
		add_label(w, &sample, "kind", "wait");
	if (r->apart && s->program < r->programs)
		add_label(w, &sample, "program", r->program[s->program].name);
	part.sample = samples;
	part.n_sample = 1;
	if (!w->failed)
		pprof_write_message(w, &part);
}

/* ---- what samples refer to: locations, functions, mappings
 *
 * The schema asks for numbers that are unique; Parca refuses a profile whose mappings, locations
 * or functions are not numbered 1, 2, 3... in their order in the file. ---- */

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

static void put_tables(struct pprof_writer *w)
{
	number_mappings(w);
	for (uint32_t i = 0; i < w->places.count && !w->failed; i++)
		if (w->places.pair[i].b)
			put_leaf_location(w, (uint64_t)i + 1, w->places.pair[i].a);
		else
			put_frame_location(w, (uint64_t)i + 1, w->places.pair[i].a);
	for (uint32_t i = 0; i < w->stacks.functions; i++)
		put_function(w, i);
	put_mappings(w);
}

/* ---- the document ---- */

/* Only the codes, since pprof prints comments above everything. After the frames, whose lookup may
 * have added warnings. */
static void put_comment(struct pprof_writer *w, const struct report *r)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	struct utf8_memory memory;
	int64_t comment;
	char *text;

	utf8_memory_begin(&memory);
	for (uint32_t i = 0; memory.to && i < r->warnings; i++)
		fprintf(memory.to, "%s %s",
			i ? "" : "scprof report has warnings:", r->warning[i].code);
	text = utf8_memory_end(&memory);
	if (text) {
		comment = pprof_write_string(w, text);
		part.comment = &comment;
		part.n_comment = 1;
		pprof_write_message(w, &part);
	}
	free(text);
}

static void put_head(struct pprof_writer *w, const struct report *r)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type[REPORT_WEIGHTS], *types[REPORT_WEIGHTS],
		event = PPROF__VALUE_TYPE__INIT;

	for (unsigned i = 0; i < w->values; i++) {
		pprof__value_type__init(&type[i]);
		type[i].type = pprof_write_string(w, report_weight_find(w->value[i])->name);
		type[i].unit = pprof_write_string(w, report_weight_find(w->value[i])->unit);
		types[i] = &type[i];
	}
	part.sample_type = types;
	part.n_sample_type = w->values;
	/* Every call is a sample. Pyroscope follows the period's type without looking. */
	event.type = pprof_write_string(w, report_weight_find(REPORT_WEIGHT_CALLS)->name);
	event.unit = pprof_write_string(w, report_weight_find(REPORT_WEIGHT_CALLS)->unit);
	part.period_type = &event;
	part.period = 1;
	part.default_sample_type =
		pprof_write_string(w, report_weight_find(REPORT_WEIGHT_TIME)->name);
	part.time_nanos = (int64_t)r->start_real_ns;
	part.duration_nanos = isfinite(r->wall_s) ? llround(r->wall_s * 1e9) : 0;
	pprof_write_message(w, &part);
}

static void put_strings(struct pprof_writer *w)
{
	for (uint32_t i = 0; i < w->strings.count; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;
		char *text = (char *)w->strings.text[i];

		part.string_table = &text;
		part.n_string_table = 1;
		pprof_write_message(w, &part);
	}
}

static uint32_t longest_path(const struct report *r)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < r->sites; i++)
		if (r->site[i].frames > longest)
			longest = r->site[i].frames;
	return longest;
}

static int begin(struct pprof_writer *w, struct report *r, const struct report_options *o)
{
	w->stacks.report = r;
	w->values = report_weight_list(r, w->value);
	/* the number of calls comes first there */
	w->value[0] = REPORT_WEIGHT_CALLS;
	w->value[1] = REPORT_WEIGHT_TIME;
	w->all_named = o->pprof_names;
	w->mapped = calloc((size_t)r->profile->modules + 1, sizeof(*w->mapped));
	w->location = calloc((size_t)longest_path(r) + 2, sizeof(*w->location));
	if (pprof_write_begin(w) < 0 || !w->mapped || !w->location) {
		w->failed = true;
		return -1;
	}
	pprof_write_string(w, "");
	return 0;
}

int pprof_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct pprof_writer w = {0};
	int status;

	if (begin(&w, r, o) == 0) {
		put_head(&w, r);
		for (uint32_t i = 0; i < rows_shown(r->sites, o) && !w.failed; i++)
			put_sample(&w, &r->site[i]);
		put_tables(&w);
		put_comment(&w, r);
		put_strings(&w); /* last: all of them are known now */
	}
	status = pprof_write_end(&w, out);
	stacks_end(&w.stacks);
	string_index_clear(&w.strings);
	free(w.mapped);
	pairs_clear(&w.places);
	free(w.location);
	return status;
}
