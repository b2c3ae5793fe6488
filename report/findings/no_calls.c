// SPDX-License-Identifier: GPL-3.0-or-later
/* What is known is said, and only where nothing is known what may be. */
#include "report/findings/findings.h"

#include <stdlib.h>
#include <string.h>

#include "report/wording/warning_list.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define MUCH_COMPUTING 0.5

static void put_computing(FILE *to, const struct report *r)
{
	double computing = elsewhere_computing(r);

	if (!(computing >= MUCH_COMPUTING))
		return;
	fprintf(to, " %s %% of the time with a CPU is computing: `perf record` shows where.",
		numbered_digits(100 * computing, 2).text);
}

/* What the filters leave out, what was selected, and what other groups would record. */
static void put_choices(FILE *to, const struct report *r)
{
	char *filters = filter_summary_describe(r->profile), *missed = elsewhere_not_called(r),
	     *looked = elsewhere_describe(r);

	if (filters)
		fprintf(to, " The filters (%s) may have left all calls out.", filters);
	if (missed)
		fprintf(to, " The selected functions were never called: %s.", missed);
	if (looked)
		fprintf(to, " %s.", looked);
	free(filters);
	free(missed);
	free(looked);
}

void no_calls_warn(struct report *r)
{
	struct utf8_memory memory;
	char *text;

	if (r->calls)
		return;
	utf8_memory_begin(&memory);
	if (memory.to) {
		put_choices(memory.to, r);
		put_computing(memory.to, r);
	}
	text = utf8_memory_end(&memory);
	if (text && text[strlen(text) - 1] == '.')
		text[strlen(text) - 1] = '\0';
	warning_list_note(r, "no-calls", "No call was recorded.%s",
			  text ? text
			       : " The program made none of the functions that -g names; a static "
				 "part of it, or system calls of its own, do not show");
	free(text);
}
