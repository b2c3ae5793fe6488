// SPDX-License-Identifier: GPL-3.0-or-later
/* A protobuf message may be written in parts, which a reader puts together: so
 * samples go out one by one, and what they refer to follows them. Memory
 * grows with the number of frames that differ, not with that of paths.
 *
 * The schema asks for numbers that are unique; Parca refuses a profile whose mappings, locations
 * or functions are not numbered 1, 2, 3... in the order in which they stand. */
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

/* A frame, or a timed function or stand-in beside them: each is a location. */
struct place {
	uint32_t number; /* of stacks */
	bool leaf;
};

struct mapped {
	uint64_t id; /* 0: no sample has a frame in it */
	bool functions, lines;
};

struct ids {
	uint64_t *id; /* by the number of stacks; 0: none yet */
	size_t room;
};

struct writer {
	struct gzip gzip;
	struct stacks stacks;
	struct names strings;
	struct mapped *mapped; /* one for each module of the profile */
	struct ids frame, leaf;
	struct place *place; /* by location, the first one is 1 */
	uint64_t places;
	size_t place_room;
	uint64_t *location; /* of the sample at hand; room for the longest path */
	unsigned char *packed;
	size_t packed_room;
	unsigned values; /* of each sample: the first of `values` */
	bool all_named;	 /* every frame gets a name */
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

/* Room for one more than `need`, what is new being 0. */
static bool make_room(void **array, size_t *room, size_t need, size_t size)
{
	size_t more = (need + 1) * 2;
	char *grown;

	if (need < *room)
		return true;
	grown = realloc(*array, more * size);
	if (!grown)
		return false;
	memset(grown + *room * size, 0, (more - *room) * size);
	*array = grown;
	*room = more;
	return true;
}

/* The location of a frame or function, by its number of stacks. */
static uint64_t location_of(struct writer *w, uint32_t number, bool leaf)
{
	struct ids *ids = leaf ? &w->leaf : &w->frame;

	if (number == NAMES_NONE ||
	    !make_room((void **)&ids->id, &ids->room, number, sizeof(*ids->id)) ||
	    !make_room((void **)&w->place, &w->place_room, w->places, sizeof(*w->place))) {
		w->failed = true;
		return 0;
	}
	if (!ids->id[number]) {
		w->place[w->places] = (struct place){number, leaf};
		ids->id[number] = ++w->places;
	}
	return ids->id[number];
}

static void put_sample(struct writer *w, const struct report_site *s)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples[] = {&sample};
	Pprof__Label label = PPROF__LABEL__INIT, *labels[] = {&label};
	int64_t value[VALUES];

	sample.location_id = w->location;
	w->location[sample.n_location_id++] =
		location_of(w, stacks_leaf(&w->stacks, s, false), true);
	for (uint32_t i = 0; i < s->frames; i++)
		w->location[sample.n_location_id++] =
			location_of(w, stacks_frame(&w->stacks, &s->frame[i]), false);
	if (report_path_end(s))
		w->location[sample.n_location_id++] =
			location_of(w, stacks_outer(&w->stacks, s), true);
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

static struct mapped *mapped_of(const struct writer *w, const struct stacks_frame *f)
{
	return f->frame.module < w->stacks.report->profile->modules ? &w->mapped[f->frame.module]
								    : NULL;
}

/* What has no name is left to pprof, which may know more: the address tells. It looks up whole
 * mappings only of which it knows no name at all, and others leave out what has no name. */
static bool has_lines(const struct writer *w, const struct stacks_frame *f)
{
	const struct mapped *m = mapped_of(w, f);

	return f->named || !m || m->functions || !f->frame.offset;
}

static void put_frame_location(struct writer *w, uint64_t id, uint32_t number)
{
	const struct stacks_frame *f = &w->stacks.frame[number];
	const struct mapped *m = mapped_of(w, f);
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line line[STACKS_PLACES];

	location.id = id;
	location.address = f->frame.offset;
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

static void put_leaf_location(struct writer *w, uint64_t id, uint32_t number)
{
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line line = PPROF__LINE__INIT;

	location.id = id;
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
	mapping.id = w->mapped[number].id;
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

static bool is_program(const struct profile *p, uint32_t module)
{
	return p->processes && p->process[0].exe &&
	       !strcmp(p->module[module].path, p->process[0].exe);
}

/* Only modules that a frame is in, the program itself first, since readers take the first one
 * for it. */
static void number_mappings(struct writer *w)
{
	const struct profile *p = w->stacks.report->profile;
	uint64_t next = 1;

	for (uint32_t i = 0; i < w->stacks.frames; i++) {
		const struct stacks_frame *f = &w->stacks.frame[i];
		struct mapped *m = mapped_of(w, f);

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

static void put_mappings(struct writer *w)
{
	for (int program = 1; program >= 0; program--)
		for (uint32_t i = 0; i < w->stacks.report->profile->modules; i++)
			if (w->mapped[i].id && is_program(w->stacks.report->profile, i) == program)
				put_mapping(w, i);
}

static void put_tables(struct writer *w)
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
	Pprof__ValueType type[VALUES], *types[VALUES], event = PPROF__VALUE_TYPE__INIT;

	for (unsigned i = 0; i < w->values; i++) {
		pprof__value_type__init(&type[i]);
		type[i].type = string(w, weight_of(values[i])->name);
		type[i].unit = string(w, weight_of(values[i])->unit);
		types[i] = &type[i];
	}
	part.sample_type = types;
	part.n_sample_type = w->values;
	/* Every call is a sample. Pyroscope follows the period's type without looking. */
	event.type = string(w, weight_of(REPORT_WEIGHT_CALLS)->name);
	event.unit = string(w, weight_of(REPORT_WEIGHT_CALLS)->unit);
	part.period_type = &event;
	part.period = 1;
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

static int begin(struct writer *w, struct report *r, const struct report_options *o, FILE *out)
{
	size_t modules = r->profile->modules ? r->profile->modules : 1;

	w->values = weights_in(r);
	w->all_named = o->pprof_names;
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

	if (w && begin(w, r, o, out) == 0) {
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
		free(w->frame.id);
		free(w->leaf.id);
		free(w->place);
		free(w->location);
		free(w->packed);
	}
	free(w);
	return status;
}
