// SPDX-License-Identifier: GPL-3.0-or-later
/* The report as folded stacks, one line a call path: "outermost;...;innermost;function N", as
 * FlameGraph, inferno and speedscope read it. N is what options.weight says; a path with 0 has no
 * line. A ';' in a name is written as ':', since it would end the frame. */
#include "report/render/formats.h"

#include <inttypes.h>

#include "report/model/model.h"
#include "report/render/stacks/stacks.h"

static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		putc_unlocked(*name == ';' ? ':' : *name, out);
}

static int put_frame(struct stacks *s, const struct prof_frame *frame, FILE *out)
{
	uint32_t number = stacks_frame(s, frame);
	const struct stacks_frame *f;

	if (number == STRING_INDEX_NONE)
		return -1;
	f = &s->frame[number];
	for (uint32_t i = f->places; i-- > 0;) {
		put_name(out, stacks_name(s, s->place[f->first + i].function));
		putc_unlocked(';', out);
	}
	return 0;
}

static int put_site(struct stacks *s, const struct report_site *site, uint64_t weight, FILE *out)
{
	const uint32_t outer[] = {stacks_program(s, site), stacks_outer(s, site)};
	uint32_t leaf;

	for (unsigned i = 0; i < 2; i++)
		if (outer[i] != STRING_INDEX_NONE) {
			put_name(out, stacks_name(s, outer[i]));
			putc_unlocked(';', out);
		}
	for (uint32_t i = site->frames; i-- > 0;)
		if (put_frame(s, &site->frame[i], out) < 0)
			return -1;
	leaf = stacks_leaf(s, site, true);
	if (leaf == STRING_INDEX_NONE)
		return -1;
	put_name(out, stacks_name(s, leaf));
	fprintf(out, " %" PRIu64 "\n", weight);
	return 0;
}

int folded_print(struct report *r, const struct report_options *o, FILE *out)
{
	const struct weight *weight = report_weight_find(o->weight);
	uint32_t rows = rows_shown(r->sites, o);
	struct stacks s;
	int status = stacks_begin(&s, r);

	for (uint32_t i = 0; status == 0 && i < rows; i++) {
		uint64_t value = weight->of(&r->site[i]);

		if (value)
			status = put_site(&s, &r->site[i], value, out);
	}
	stacks_end(&s);
	return status;
}
