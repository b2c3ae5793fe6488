// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash from (module, offset) to text. The key has the module's path and build-id, since its
 * number may change with the model. */
#define HASH_NONFATAL_OOM 1
#include "report/live/labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "report/wording/utf8.h"
#include "report/containers/string_index.h"
#include "report/symbols/symbolize.h"
#include "report/symbols/symbolize_source.h"

struct place {
	uint64_t offset;
	uint32_t module, exact;
};

struct label {
	struct place place;
	char *text;
	UT_hash_handle hh;
};

struct labels {
	bool utf8;
	struct string_index modules;
	struct symbolizer *symbols; /* of `profile`; made when it is needed */
	const struct profile *profile;
	struct label *by_place;
	char unknown[32]; /* what there was no memory for */
};

struct labels *labels_new(bool utf8)
{
	struct labels *l = calloc(1, sizeof(*l));

	if (l) {
		l->utf8 = utf8;
		strcpy(l->unknown, "?");
	}
	return l;
}

void labels_forget(void *labels)
{
	struct labels *l = labels;

	if (l->symbols)
		symbolize_free(l->symbols);
	l->symbols = NULL;
	l->profile = NULL;
}

void labels_free(struct labels *l)
{
	struct label *e, *next;

	if (!l)
		return;
	labels_forget(l);
	HASH_ITER(hh, l->by_place, e, next)
	{
		HASH_DEL(l->by_place, e);
		free(e->text);
		free(e);
	}
	string_index_clear(&l->modules);
	free(l);
}

/* All that is shown of the frame: its index may change with the model. */
static uint32_t source_number(struct labels *l, const struct profile *p,
			      const struct prof_frame *frame)
{
	const struct prof_source_line *line;
	const struct prof_source_function *f = symbolize_source_find(p, frame, &line);
	char key[SCP_SOURCE_NAME_MAX + SCP_SOURCE_FILE_MAX + 32];

	if (!f)
		return PROF_NONE;
	snprintf(key, sizeof(key), "\x1f%s\x1f%s\x1f%" PRIu32, f->name, f->file,
		 line ? line->line : 0);
	return string_index_add(&l->modules, key);
}

static uint32_t module_number(struct labels *l, const struct profile *p, uint32_t module)
{
	char key[2 * SCP_BUILD_ID_MAX + 4200];
	int at = 0;

	if (module == PROF_NO_MODULE)
		return PROF_NONE;
	for (uint32_t i = 0; i < p->module[module].build_id_bytes; i++)
		at += snprintf(key + at, sizeof(key) - (size_t)at, "%02x",
			       p->module[module].build_id[i]);
	snprintf(key + at, sizeof(key) - (size_t)at, " %.4100s", p->module[module].path);
	return string_index_add(&l->modules, key);
}

static char *look_up(struct labels *l, const struct profile *p, const struct prof_frame *frame)
{
	const struct symbol *s;
	char *text = NULL, *clean;
	size_t count;
	int bytes;

	if (l->profile != p) {
		labels_forget(l);
		l->symbols = symbolize_new(p);
		l->profile = p;
	}
	if (!l->symbols)
		return NULL;
	s = symbolize_frame(l->symbols, frame, &count);
	if (s->language && s->file && s->line)
		bytes = asprintf(&text, "%s (%s:%d)", s->brief, base_name(s->file), s->line);
	else if (s->language)
		bytes = asprintf(&text, "%s (%s)", s->brief, s->file ? base_name(s->file) : "?");
	else if (!s->module)
		bytes = asprintf(&text, "0x%" PRIx64 " (generated code)", s->offset);
	else if (!s->brief)
		bytes = asprintf(&text, "%s+0x%" PRIx64, base_name(s->module), s->offset);
	else if (s->file)
		bytes = asprintf(&text, "%s at %s:%d", s->brief, base_name(s->file), s->line);
	else
		bytes = asprintf(&text, "%s (%s)", s->brief, base_name(s->module));
	if (bytes < 0)
		return NULL;
	clean = utf8_clean(text, l->utf8);
	free(text);
	return clean;
}

const char *labels_frame(struct labels *l, const struct profile *p, const struct prof_frame *frame)
{
	struct place place;
	struct label *e;

	memset(&place, 0, sizeof(place));
	place.exact = frame->exact;
	if (frame->module == PROF_SOURCE) {
		place.module = source_number(l, p, frame);
	} else {
		place.offset = frame->offset;
		place.module = module_number(l, p, frame->module);
	}
	HASH_FIND(hh, l->by_place, &place, sizeof(place), e);
	if (e)
		return e->text;
	e = calloc(1, sizeof(*e));
	if (e && (e->text = look_up(l, p, frame))) {
		e->place = place;
		HASH_ADD(hh, l->by_place, place, sizeof(place), e);
		if (e->hh.tbl)
			return e->text;
	}
	if (e)
		free(e->text);
	free(e);
	return l->unknown;
}

void labels_function(const struct labels *l, const struct live_reader *f,
		     const struct group_row *row, char *out, size_t room)
{
	char *name = utf8_clean(f->profile->function[row->function].name, l->utf8);
	const struct report_site site = {.outcome = row->outcome};
	bool waits = f->groups.waits[row->function], plain = row->outcome == SCP_COMPLETED;

	/* The column is narrow: a wait with an outcome has that alone. */
	if (plain && !waits)
		snprintf(out, room, "%s", name ? name : "?");
	else
		snprintf(out, room, "%.200s [%s]", name ? name : "?",
			 plain ? "waits" : report_names_outcome(&site));
	free(name);
}
