// SPDX-License-Identifier: GPL-3.0-or-later
/* The report as a gzipped profile.proto, which Google's pprof, Parca, Pyroscope and speedscope
 * open. A sample is a site: its calls, its time and its bytes; an outcome of its calls other than
 * "completed" is a label. Or it is a path of what was computed, with no calls. The format has no
 * place for intervals; a comment names the warnings.
 *
 * A protobuf message may be written in parts, which a reader puts together: so samples are written
 * one by one, and what they refer to follows. Memory grows with the number of different frames, not
 * of paths. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "report/render/formats.h"
#include "report/render/pprof/pprof.pb-c.h"
#include "report/render/stacks/stacks.h"
#include "report/model/model.h"
#include "report/wording/utf8.h"

struct pprof_mapped {
	uint64_t id; /* 0: no sample has a frame in it */
	bool functions, lines;
};

struct pprof_writer {
	FILE *messages; /* and what it holds */
	char *text;
	size_t bytes;
	struct stacks stacks;
	struct string_index strings;
	struct pprof_mapped *mapped; /* one for each module of the profile */
	/* By location, the first one is 1: the number of stacks; of a frame, or (1) of a timed
	 * function or stand-in beside them. */
	struct pairs places;
	uint64_t *location; /* of the sample at hand; room for the longest path */
	enum report_weight value[REPORT_WEIGHTS]; /* of each sample */
	unsigned values;
	bool all_named; /* every frame gets a name */
	bool failed;	/* out of memory */
};

#define GZIP_WRAPPER 16 /* added to the window's bits: see deflateInit2 */

/* Without a time stamp: equal input, equal output. zlib's own gzFile writes to descriptors only,
 * and a report may go to memory. */
static int compress_to(FILE *out, char *text, size_t bytes)
{
	z_stream z = {.next_in = (unsigned char *)text, .avail_in = (uInt)bytes};
	int status = -1;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_WRAPPER, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	uLong most = deflateBound(&z, bytes);
	unsigned char *packed = z.next_out = malloc(most);
	z.avail_out = (uInt)most;
	if (packed && most <= UINT32_MAX && deflate(&z, Z_FINISH) == Z_STREAM_END &&
	    fwrite(packed, 1, z.total_out, out) == z.total_out)
		status = 0;
	free(packed);
	deflateEnd(&z);
	return status;
}

static int64_t put_string(struct pprof_writer *w, const char *text)
{
	uint32_t number = string_index_add(&w->strings, text);

	if (number != STRING_INDEX_NONE)
		return number;
	w->failed = true;
	return 0;
}

static void put_message(struct pprof_writer *w, const Pprof__Profile *part)
{
	size_t bytes = pprof__profile__get_packed_size(part);
	unsigned char *packed = malloc(bytes + 1);

	if (!packed || fwrite(packed, 1, pprof__profile__pack(part, packed), w->messages) != bytes)
		w->failed = true;
	free(packed);
}

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
	l->key = put_string(w, key);
	l->str = put_string(w, text);
}

static void put_sample(struct pprof_writer *w, const struct report_site *s)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples[] = {&sample};
	Pprof__Label label[LABELS], *labels[LABELS] = {&label[0], &label[1], &label[2]};
	int64_t value[REPORT_WEIGHTS];
	const struct report *r = w->stacks.report;

	sample.location_id = w->location;
	if (!computing_is(s))
		w->location[sample.n_location_id++] =
			location_of(w, stacks_leaf(&w->stacks, s, false), true);
	for (uint32_t i = 0; i < s->frames; i++)
		w->location[sample.n_location_id++] =
			location_of(w, stacks_frame(&w->stacks, &s->frame[i]), false);
	if (report_names_path_end(s) || !sample.n_location_id)
		w->location[sample.n_location_id++] =
			location_of(w, stacks_outer(&w->stacks, s), true);
	for (unsigned i = 0; i < w->values; i++)
		value[i] = (int64_t)report_weight_of(w->value[i], s);
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
		put_message(w, &part);
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
	function.name = put_string(w, stacks_name(&w->stacks, number));
	function.system_name = put_string(w, w->stacks.names.text[f->linker_name]);
	function.filename = file ? put_string(w, file) : 0;
	function.start_line = f->declared;
	part.function = functions;
	part.n_function = 1;
	put_message(w, &part);
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

static void put_location(struct pprof_writer *w, uint64_t id, const struct pair *place)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *locations[] = {&location};
	Pprof__Line line[STACKS_PLACES], *lines[STACKS_PLACES];
	struct stacks_place leaf = {.function = place->a};
	const struct stacks_frame *f = place->b ? NULL : &w->stacks.frame[place->a];
	const struct stacks_place *p = f ? &w->stacks.place[f->first] : &leaf;
	const struct pprof_mapped *m = f ? mapped_of(w, f) : NULL;

	location.id = id;
	location.address = f && f->frame.module != PROF_SOURCE ? f->frame.offset : 0;
	location.mapping_id = m ? m->id : 0;
	location.n_line = !f ? 1 : has_lines(w, f) ? f->places : 0;
	for (size_t i = 0; i < location.n_line; i++) {
		lines[i] = &line[i];
		pprof__line__init(lines[i]);
		line[i].function_id = (uint64_t)p[i].function + 1;
		line[i].line = p[i].line;
	}
	location.line = lines;
	part.location = locations;
	part.n_location = 1;
	put_message(w, &part);
}

/* Addresses are offsets in files: pprof takes a mapping from 0 to 0 as adjusted already. */
static void put_mapping(struct pprof_writer *w, uint32_t number)
{
	const struct prof_module *m = &w->stacks.report->profile->module[number];
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings[] = {&mapping};
	char hex[2 * SCP_BUILD_ID_MAX + 1] = "", *path = utf8_clean(m->path, true);

	for (uint32_t i = 0; i < m->build_id_bytes; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", m->build_id[i]);
	mapping.id = w->mapped[number].id;
	mapping.filename = put_string(w, path ? path : "");
	mapping.build_id = put_string(w, hex);
	mapping.has_functions = w->mapped[number].functions;
	mapping.has_filenames = mapping.has_line_numbers = w->mapped[number].lines;
	mapping.has_inline_frames = w->mapped[number].lines;
	part.mapping = mappings;
	part.n_mapping = 1;
	put_message(w, &part);
	free(path);
}

static bool is_program(const struct profile *p, uint32_t module)
{
	return p->processes && p->process[0].exe &&
	       !strcmp(p->module[module].path, p->process[0].exe);
}

/* Only modules with frames; the program first, since readers take the first mapping for it. */
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
		put_location(w, (uint64_t)i + 1, &w->places.pair[i]);
	for (uint32_t i = 0; i < w->stacks.functions; i++)
		put_function(w, i);
	put_mappings(w);
}

/* ---- the document ---- */

/* Only the codes: pprof prints comments above all. After the frames, whose lookup may warn. */
static void put_comment(struct pprof_writer *w, const struct report *r)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	struct utf8_memory memory;
	int64_t comment;

	utf8_memory_begin(&memory);
	for (uint32_t i = 0; memory.to && i < r->warnings; i++)
		fprintf(memory.to, "%s %s",
			i ? "" : "scprof report has warnings:", r->warning[i].code);
	char *text = utf8_memory_end(&memory);
	if (text) {
		comment = put_string(w, text);
		part.comment = &comment;
		part.n_comment = 1;
		put_message(w, &part);
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
		type[i].type = put_string(w, report_weights[w->value[i]].name);
		type[i].unit = put_string(w, report_weights[w->value[i]].unit);
		types[i] = &type[i];
	}
	part.sample_type = types;
	part.n_sample_type = w->values;
	/* Every call is a sample. Pyroscope follows the period's type without looking. */
	event.type = put_string(w, report_weights[REPORT_WEIGHT_CALLS].name);
	event.unit = put_string(w, report_weights[REPORT_WEIGHT_CALLS].unit);
	part.period_type = &event;
	part.period = 1;
	part.default_sample_type = put_string(w, report_weights[REPORT_WEIGHT_TIME].name);
	part.time_nanos = (int64_t)r->start_real_ns;
	part.duration_nanos = isfinite(r->wall_s) ? llround(r->wall_s * 1e9) : 0;
	put_message(w, &part);
}

static void put_strings(struct pprof_writer *w)
{
	for (uint32_t i = 0; i < w->strings.count; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;
		char *text = (char *)w->strings.text[i];

		part.string_table = &text;
		part.n_string_table = 1;
		put_message(w, &part);
	}
}

static uint32_t longest_path(struct stacks *s, uint32_t rows)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < rows; i++) {
		uint32_t frames = stacks_row(s, i)->frames;

		longest = frames > longest ? frames : longest;
	}
	return longest;
}

int pprof_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct pprof_writer w = {.stacks = {.report = r}, .all_named = o->pprof_names};
	uint32_t rows = stacks_rows(&w.stacks, o);
	int status = -1;

	if (rows == STRING_INDEX_NONE)
		return -1;

	w.values = report_weight_list(r, w.value);
	/* the number of calls comes first there */
	w.value[0] = REPORT_WEIGHT_CALLS;
	w.value[1] = REPORT_WEIGHT_TIME;
	w.mapped = calloc((size_t)r->profile->modules + 1, sizeof(*w.mapped));
	w.location = calloc((size_t)longest_path(&w.stacks, rows) + 2, sizeof(*w.location));
	w.messages = open_memstream(&w.text, &w.bytes);
	if (w.mapped && w.location && w.messages) {
		put_string(&w, "");
		put_head(&w, r);
		for (uint32_t i = 0; i < rows && !w.failed; i++)
			put_sample(&w, stacks_row(&w.stacks, i));
		put_tables(&w);
		put_comment(&w, r);
		put_strings(&w); /* last: all of them are known now */
	}
	if (w.messages && fclose(w.messages) == 0 && w.mapped && w.location && !w.failed)
		status = compress_to(out, w.text, w.bytes);
	free(w.text);
	stacks_end(&w.stacks);
	string_index_clear(&w.strings);
	free(w.mapped);
	pairs_clear(&w.places);
	free(w.location);
	return status;
}
