// SPDX-License-Identifier: GPL-3.0-or-later
/* A frame is known by its key, since the numbers of modules and of functions change with the
 * model. */
#include "report/live/view.h"

#include <inttypes.h>
#include <stdlib.h>

#include "profile/base/array.h"
#include "report/wording/utf8.h"
#include "report/containers/string_index.h"
#include "report/symbols/symbolize.h"

struct labels {
	bool utf8;
	const struct live_reader *reader;
	struct pairs keys; /* upper and lower half */
	char **text;	   /* by number of the key; NULL: not looked up yet */
	uint32_t room;
	struct symbolizer *symbols; /* of the model of `generation`; made when it is needed */
	uint64_t generation;
};

struct labels *labels_new(const struct live_reader *f, bool utf8)
{
	struct labels *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->utf8 = utf8;
	l->reader = f;
	return l;
}

void labels_free(struct labels *l)
{
	if (!l)
		return;
	symbolize_free(l->symbols);
	for (uint32_t i = 0; i < l->room; i++)
		free(l->text[i]);
	free(l->text);
	pairs_clear(&l->keys);
	free(l);
}

static char *describe(const struct symbol *s)
{
	if (s->language && s->file && s->line)
		return utf8_text("%s (%s:%d)", s->brief, base_name(s->file), s->line);
	if (s->language)
		return utf8_text("%s (%s)", s->brief, s->file ? base_name(s->file) : "?");
	if (!s->module)
		return utf8_text("0x%" PRIx64 " (generated code)", s->offset);
	if (!s->brief)
		return utf8_text("%s+0x%" PRIx64, s->module_name, s->offset);
	if (s->file)
		return utf8_text("%s at %s:%d", s->brief, base_name(s->file), s->line);
	return utf8_text("%s (%s)", s->brief, s->module_name);
}

static char *look_up(struct labels *l, const struct prof_frame *frame)
{
	if (l->generation != l->reader->generation) {
		symbolize_free(l->symbols);
		l->symbols = symbolize_new(l->reader->profile);
		l->generation = l->reader->generation;
	}
	if (!l->symbols)
		return NULL;
	return utf8_cleaned(describe(symbolize_frame(l->symbols, frame, NULL)), l->utf8);
}

const char *labels_frame(struct labels *l, const struct prof_frame *frame)
{
	uint64_t key = row_key_frame(l->reader->profile, frame);
	uint32_t number = pairs_add(&l->keys, (uint32_t)(key >> 32), (uint32_t)key);

	if (!array_reach((void **)&l->text, &l->room, number, sizeof(*l->text), 0))
		return "?";
	if (!l->text[number])
		l->text[number] = look_up(l, frame);
	return l->text[number] ? l->text[number] : "?";
}

void labels_function(const struct labels *l, const struct group_row *row, char *out, size_t room)
{
	const struct live_reader *f = l->reader;
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
