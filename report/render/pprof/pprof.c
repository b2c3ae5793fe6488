// SPDX-License-Identifier: GPL-3.0-or-later
/* A protobuf message may be written in parts, which a reader puts together: so samples are written
 * one by one, and what they refer to follows. Memory grows with the number of different frames, not
 * of paths. */
#include "report/render/pprof/pprof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/pprof/pprof_write.h"
#include "report/model/model.h"

/* Room for element `need`; new elements are 0. */
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
static uint64_t location_of(struct pprof_writer *w, uint32_t number, bool leaf)
{
	struct pprof_ids *ids = leaf ? &w->leaf : &w->frame;

	if (number == STRING_INDEX_NONE ||
	    !make_room((void **)&ids->id, &ids->room, number, sizeof(*ids->id)) ||
	    !make_room((void **)&w->place, &w->place_room, w->places, sizeof(*w->place))) {
		w->failed = true;
		return 0;
	}
	if (!ids->id[number]) {
		w->place[w->places] = (struct pprof_place){number, leaf};
		ids->id[number] = ++w->places;
	}
	return ids->id[number];
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

/* Only the codes, since pprof prints comments above everything. After the frames, whose lookup may
 * have added warnings. */
static void put_comment(struct pprof_writer *w, const struct report *r)
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

static int begin(struct pprof_writer *w, struct report *r, const struct report_options *o,
		 FILE *out)
{
	size_t modules = r->profile->modules ? r->profile->modules : 1;

	w->values = report_weight_list(r, w->value);
	/* the number of calls comes first there */
	w->value[0] = REPORT_WEIGHT_CALLS;
	w->value[1] = REPORT_WEIGHT_TIME;
	w->all_named = o->pprof_names;
	w->mapped = calloc(modules, sizeof(*w->mapped));
	w->location = calloc((size_t)longest_path(r) + 2, sizeof(*w->location));
	if (pprof_write_begin(&w->gzip, out) < 0 || stacks_begin(&w->stacks, r) < 0 || !w->mapped ||
	    !w->location) {
		w->gzip.failed = true; /* nothing more is written */
		pprof_write_end(&w->gzip);
		return -1;
	}
	pprof_write_string(w, "");
	return 0;
}

int pprof_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct pprof_writer *w = calloc(1, sizeof(*w));
	int status = -1;

	if (w && begin(w, r, o, out) == 0) {
		put_head(w, r);
		for (uint32_t i = 0; i < rows_shown(r->sites, o) && !w->failed; i++)
			put_sample(w, &r->site[i]);
		pprof_tables_write(w);
		put_comment(w, r);
		put_strings(w); /* last: all of them are known now */
		status = pprof_write_end(&w->gzip) < 0 || w->failed ? -1 : 0;
	}
	if (w) {
		stacks_end(&w->stacks);
		string_index_clear(&w->strings);
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
