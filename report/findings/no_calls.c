// SPDX-License-Identifier: GPL-3.0-or-later
/* What is known is said, and only where nothing is known what may be. */
#include "report/findings/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/warning_list.h"
#include "report/wording/numbers.h"

#define MUCH_COMPUTING 0.5
/* System calls of which no wrapper saw one in ten: they are made in other ways. */
#define LEAST_OWN_CALLS 100
#define SEEN_SHARE	0.1

static void put_filters(FILE *to, const struct report *r)
{
	char *words = filter_summary_describe(r->profile);

	if (words)
		fprintf(to, " The filters (%s) may have left all calls out.", words);
	free(words);
}

static void put_looked(FILE *to, const struct report *r)
{
	char *looked = elsewhere_describe(r);

	if (looked)
		fprintf(to, " %s.", looked);
	free(looked);
}

static void put_libraries(FILE *to, const struct report *r)
{
	char *names = NULL, *groups = elsewhere_libraries(r, &names);

	if (groups)
		fprintf(to, " The program uses %s: `-g %s` records their calls.",
			names ? names : groups, groups);
	free(names);
	free(groups);
}

static void put_selected(FILE *to, const struct report *r)
{
	char *pattern = NULL, *missed = elsewhere_not_called(r, &pattern);

	if (missed)
		fprintf(to, " The selected functions were never called: %s.", missed);
	if (missed && pattern)
		fprintf(to, " Perhaps only inside their library, or a variant is: try `-s '%s'`.",
			pattern);
	free(pattern);
	free(missed);
}

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

void no_calls_warn(struct report *r)
{
	char *text = NULL;
	size_t bytes;
	FILE *memory;

	if (r->calls || !(memory = open_memstream(&text, &bytes)))
		return;
	put_filters(memory, r);
	put_selected(memory, r);
	put_looked(memory, r);
	put_libraries(memory, r);
	put_computing(memory, r);
	put_own_calls(memory, r);
	if (fclose(memory) == 0) {
		size_t length = strlen(text);

		if (length && text[length - 1] == '.')
			text[length - 1] = '\0';
		warning_list_note(r, "no-calls", "No call was recorded.%s",
				  *text ? text
					: " The program made none of the functions that -g names; "
					  "a static part of it, or system calls of its own, do not "
					  "show");
	}
	free(text);
}
