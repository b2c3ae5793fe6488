// SPDX-License-Identifier: GPL-3.0-or-later
/* A protobuf message may be written in parts, which a reader puts together: so
 * samples go out one by one, and what they refer to follows them. Memory
 * grows with the number of frames that differ, not with that of paths. */
#include "pprof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gzip.h"
#include "pprof.pb-c.h"
#include "rows.h"
#include "stacks.h"
#include "utf8.h"
#include "weights.h"

/* What a sample's values are: one line adds one. */
static const enum report_weight values[] = {REPORT_WEIGHT_CALLS, REPORT_WEIGHT_TIME,
					    REPORT_WEIGHT_BYTES, REPORT_WEIGHT_UNCHARGED};
#define VALUES (sizeof(values) / sizeof(values[0]))
_Static_assert(VALUES == REPORT_WEIGHTS, "a line for each");

/* Every frame, and every timed function beside them, is a location. Frames have
 * the odd numbers, since both lists grow together. */
#define FRAME_LOCATION(frame)	  (2 * (uint64_t)(frame) + 1)
#define FUNCTION_LOCATION(number) (2 * (uint64_t)(number) + 2)

struct mapped {
	bool used, functions, lines;
};

struct writer {
	struct gzip gzip;
	struct stacks stacks;
	struct names strings;
	struct mapped *mapped; /* one for each module of the profile */
	unsigned char *leaf;   /* by function: it is a location of its own */
	uint32_t leaf_room;
	uint64_t *location; /* of the sample at hand; room for the longest path */
	unsigned char *packed;
	size_t packed_room;
	unsigned values; /* of each sample: the first of `values` */
	bool failed;	 /* memory is out */
};

static int64_t string(struct writer *w, const char *text)
{
	uint32_t number = names_add(&w->strings, text);

	if (number != NAMES_NONE)
		return number;
	w->failed = true;
	return 0;
}

static void put(struct writer *w, const Pprof__Profile *part)
{
	size_t bytes = pprof__profile__get_packed_size(part);

	if (bytes > w->packed_room) {
		unsigned char *grown = realloc(w->packed, bytes * 2);

		if (!grown) {
			w->failed = true;
			return;
		}
		w->packed = grown;
		w->packed_room = bytes * 2;
	}
	gzip_write(&w->gzip, w->packed, pprof__profile__pack(part, w->packed));
}

static uint64_t function_location(struct writer *w, uint32_t function)
{
	if (function == NAMES_NONE) {
		w->failed = true;
		return 0;
	}
	if (function >= w->leaf_room) {
		uint32_t room = (function + 1) * 2;
		unsigned char *grown = realloc(w->leaf, room);

		if (!grown) {
			w->failed = true;
			return 0;
		}
		memset(grown + w->leaf_room, 0, room - w->leaf_room);
		w->leaf = grown;
		w->leaf_room = room;
	}
	w->leaf[function] = 1;
	return FUNCTION_LOCATION(function);
}

static void put_sample(struct writer *w, const struct report_site *s)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples[] = {&sample};
	Pprof__Label label = PPROF__LABEL__INIT, *labels[] = {&label};
	int64_t value[VALUES];

	sample.location_id = w->location;
	w->location[sample.n_location_id++] =
		function_location(w, stacks_leaf(&w->stacks, s, false));
	for (uint32_t i = 0; i < s->frames; i++) {
		uint32_t frame = stacks_frame(&w->stacks, &s->frame[i]);

		w->failed |= frame == NAMES_NONE;
		w->location[sample.n_location_id++] = FRAME_LOCATION(frame);
	}
	if (report_path_end(s))
		w->location[sample.n_location_id++] =
			function_location(w, stacks_outer(&w->stacks, s));
	for (unsigned i = 0; i < w->values; i++)
		value[i] = (int64_t)weight_of(values[i])->of(s);
	sample.value = value;
	sample.n_value = w->values;
	if (s->outcome != SCP_COMPLETED && !s->overflow) {
		label.key = string(w, "outcome");
		label.str = string(w, report_outcome_name(s));
		sample.label = labels;
		sample.n_label = 1;
	}
	part.sample = samples;
	part.n_sample = 1;
	if (!w->failed)
		put(w, &part);
}

static void put_function(struct writer *w, uint32_t number)
{
	const struct stacks_function *f = &w->stacks.function[number];
	const char *file = stacks_file(&w->stacks, number);
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions[] = {&function};

	function.id = (uint64_t)number + 1;
	function.name = string(w, stacks_name(&w->stacks, number));
	function.system_name = string(w, w->stacks.names.text[f->linker_name]);
	function.filename = file ? string(w, file) : 0;
	function.start_line = f->declared;
	part.function = functions;
	part.n_function = 1;
	put(w, &part);
}

static void put_location(struct writer *w, Pprof__Location *location, Pprof__Line *line)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Line *lines[STACKS_PLACES];

	for (size_t i = 0; i < location->n_line; i++)
		lines[i] = &line[i];
	location->line = lines;
	part.location = &location;
	part.n_location = 1;
	put(w, &part);
}

static void put_frame_location(struct writer *w, uint32_t number)
{
	const struct stacks_frame *f = &w->stacks.frame[number];
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line line[STACKS_PLACES];

	location.id = FRAME_LOCATION(number);
	location.address = f->frame.offset;
	for (uint32_t i = 0; i < f->places; i++) {
		const struct stacks_place *p = &w->stacks.place[f->first + i];

		pprof__line__init(&line[i]);
		line[i].function_id = (uint64_t)p->function + 1;
		line[i].line = p->line;
	}
	if (f->frame.module < w->stacks.report->profile->modules) {
		struct mapped *m = &w->mapped[f->frame.module];

		location.mapping_id = (uint64_t)f->frame.module + 1;
		m->used = true;
		m->functions |= f->named;
		m->lines |= f->places && line[0].line;
	}
	/* What has no name is left to pprof, which may know more: the address tells. */
	location.n_line = f->named || !location.mapping_id ? f->places : 0;
	put_location(w, &location, line);
}

static void put_leaf_location(struct writer *w, uint32_t number)
{
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line line = PPROF__LINE__INIT;

	location.id = FUNCTION_LOCATION(number);
	line.function_id = (uint64_t)number + 1;
	location.n_line = 1;
	put_location(w, &location, &line);
}

/* Addresses are those of the files, not of a process: pprof takes a mapping from
 * 0 to 0 for one that has been adjusted. */
static void put_mapping(struct writer *w, uint32_t number)
{
	const struct prof_module *m = &w->stacks.report->profile->module[number];
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings[] = {&mapping};
	char hex[2 * SCP_BUILD_ID_MAX + 1] = "", *path = utf8_clean(m->path, true);

	for (uint32_t i = 0; i < m->build_id_bytes; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", m->build_id[i]);
	mapping.id = (uint64_t)number + 1;
	mapping.filename = string(w, path ? path : "");
	mapping.build_id = string(w, hex);
	mapping.has_functions = w->mapped[number].functions;
	mapping.has_filenames = mapping.has_line_numbers = w->mapped[number].lines;
	mapping.has_inline_frames = w->mapped[number].lines;
	part.mapping = mappings;
	part.n_mapping = 1;
	put(w, &part);
	free(path);
}

static void put_tables(struct writer *w)
{
	for (uint32_t i = 0; i < w->stacks.frames; i++)
		put_frame_location(w, i);
	for (uint32_t i = 0; i < w->leaf_room; i++)
		if (w->leaf[i])
			put_leaf_location(w, i);
	for (uint32_t i = 0; i < w->stacks.functions; i++)
		put_function(w, i);
	for (uint32_t i = 0; i < w->stacks.report->profile->modules; i++)
		if (w->mapped[i].used)
			put_mapping(w, i);
}

/* pprof prints comments above everything: so the codes only. Looking up the frames
 * may have added some. */
static void put_comment(struct writer *w, const struct report *r)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char *text = NULL;
	size_t bytes;
	FILE *memory = r->warnings ? open_memstream(&text, &bytes) : NULL;
	int64_t comment;

	if (!memory)
		return;
	fputs("scprof report has warnings:", memory);
	for (uint32_t i = 0; i < r->warnings; i++)
		fprintf(memory, " %s", r->warning[i].code);
	if (fclose(memory) == 0) {
		comment = string(w, text);
		part.comment = &comment;
		part.n_comment = 1;
		put(w, &part);
	}
	free(text);
}

static void put_head(struct writer *w, const struct report *r)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type[VALUES], *types[VALUES];

	for (unsigned i = 0; i < w->values; i++) {
		pprof__value_type__init(&type[i]);
		type[i].type = string(w, weight_of(values[i])->name);
		type[i].unit = string(w, weight_of(values[i])->unit);
		types[i] = &type[i];
	}
	part.sample_type = types;
	part.n_sample_type = w->values;
	part.default_sample_type = string(w, weight_of(REPORT_WEIGHT_TIME)->name);
	part.time_nanos = (int64_t)r->start_real_ns;
	part.duration_nanos = isfinite(r->wall_s) ? llround(r->wall_s * 1e9) : 0;
	put(w, &part);
}

static void put_strings(struct writer *w)
{
	for (uint32_t i = 0; i < w->strings.count; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;
		char *text = (char *)w->strings.text[i];

		part.string_table = &text;
		part.n_string_table = 1;
		put(w, &part);
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

static int begin(struct writer *w, struct report *r, FILE *out)
{
	size_t modules = r->profile->modules ? r->profile->modules : 1;

	w->values = weights_in(r);
	w->mapped = calloc(modules, sizeof(*w->mapped));
	w->location = calloc((size_t)longest_path(r) + 2, sizeof(*w->location));
	if (gzip_begin(&w->gzip, out) < 0 || stacks_begin(&w->stacks, r) < 0 || !w->mapped ||
	    !w->location) {
		w->gzip.failed = true; /* nothing more is written */
		gzip_end(&w->gzip);
		return -1;
	}
	string(w, "");
	return 0;
}

int report_pprof(struct report *r, const struct report_options *o, FILE *out)
{
	struct writer *w = calloc(1, sizeof(*w));
	int status = -1;

	if (w && begin(w, r, out) == 0) {
		put_head(w, r);
		for (uint32_t i = 0; i < rows_shown(r->sites, o) && !w->failed; i++)
			put_sample(w, &r->site[i]);
		put_tables(w);
		put_comment(w, r);
		put_strings(w); /* last: all of them are known now */
		status = gzip_end(&w->gzip) < 0 || w->failed ? -1 : 0;
	}
	if (w) {
		stacks_end(&w->stacks);
		names_clear(&w->strings);
		free(w->mapped);
		free(w->leaf);
		free(w->location);
		free(w->packed);
	}
	free(w);
	return status;
}
