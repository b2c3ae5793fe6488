// SPDX-License-Identifier: GPL-3.0-or-later
/* What is known is said, and only where nothing is known what may be. */
#include "report/findings/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/warning_list.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define MUCH_COMPUTING 0.5
/* System calls of which no wrapper saw one in ten: they are made in other ways. */
#define LEAST_OWN_CALLS 100
#define SEEN_SHARE	0.1

static void put_computing(FILE *to, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double computing = elsewhere_computing(r);
	char share[32];

	if (!(computing >= MUCH_COMPUTING))
		return;
	/* It is of the time in which there was a CPU; what is shown is of all, as in the time line.
	 */
	if (t->known && r->time_ns > 0)
		computing *= fmax(1 - t->runnable_s * 1e9 / r->time_ns, 0);
	numbers_significant(share, sizeof(share), 100 * computing, 2);
	fprintf(to, " %s %% of the time is computing: `perf record` shows where.", share);
}

/* Reads and writes that the kernel counted and no wrapper saw. */
static void put_own_calls(FILE *to, const struct report *r)
{
	double all = r->ledger.reads + r->ledger.writes, seen = 0;
	char count[32];

	for (uint32_t i = 0; i < r->elsewheres; i++)
		seen += (double)r->elsewhere[i].calls;
	if (!(all >= LEAST_OWN_CALLS) || seen >= SEEN_SHARE * all)
		return;
	numbers_count(count, sizeof(count), (uint64_t)all);
	fprintf(to,
		" The kernel counted %s reads and writes inside libraries, or by the program's own "
		"system calls, as Go makes them. `strace -c` shows them.",
		count);
}

/* What the filters leave out, what was selected, and what other groups would record. */
static void put_choices(FILE *to, const struct report *r)
{
	char *pattern = NULL, *names = NULL, *filters = filter_summary_describe(r->profile),
	     *missed = elsewhere_not_called(r, &pattern), *looked = elsewhere_describe(r),
	     *groups = elsewhere_libraries(r, &names);

	if (filters)
		fprintf(to, " The filters (%s) may have left all calls out.", filters);
	if (missed)
		fprintf(to, " The selected functions were never called: %s.", missed);
	if (missed && pattern)
		fprintf(to, " Perhaps only inside their library, or a variant is: try `-s '%s'`.",
			pattern);
	if (looked)
		fprintf(to, " %s.", looked);
	if (groups)
		fprintf(to, " The program uses %s: `-g %s` records their calls.",
			names ? names : groups, groups);
	free(filters);
	free(pattern);
	free(missed);
	free(looked);
	free(names);
	free(groups);
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
		put_own_calls(memory.to, r);
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
