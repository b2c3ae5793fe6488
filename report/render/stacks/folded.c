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

struct line {
	FILE *out;
	const struct stacks *stacks;
	bool begun;
};

static int put_function(void *line, uint32_t function, int number)
{
	struct line *l = line;

	(void)number;
	if (l->begun)
		putc_unlocked(';', l->out);
	l->begun = true;
	put_name(l->out, stacks_name(l->stacks, function));
	return 0;
}

int folded_print(struct report *r, const struct report_options *o, FILE *out)
{
	const struct weight *weight = report_weight_find(o->weight);
	uint32_t rows = rows_shown(r->sites, o);
	struct stacks s = {.report = r};
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < rows; i++) {
		struct line line = {out, &s, false};
		uint64_t value = weight->of(&r->site[i]);

		if (!value)
			continue;
		status = stacks_walk(&s, &r->site[i], put_function, &line);
		fprintf(out, " %" PRIu64 "\n", value);
	}
	stacks_end(&s);
	return status;
}
