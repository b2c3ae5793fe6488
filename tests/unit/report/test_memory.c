// SPDX-License-Identifier: GPL-3.0-or-later
/* Reports when out of memory, at every allocation in turn: each is refused or printed, none ends
 * the process. `scprof serve` prints them for others. */
#include "tests/unit/support/report_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/compare/match.h"
#include "report/report.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);

static long left;      /* allocations until one fails; 0: none does */
static size_t longest; /* array that was asked for, in bytes */

static bool fails(void)
{
	if (!left || --left)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes)
{
	if (bytes > longest)
		longest = bytes;
	return fails() ? NULL : __real_realloc(memory, bytes);
}

/* true: the allocation was reached. */
static bool print_with(const struct profile *p, const struct report_options *o, FILE *sink, long at,
		       int *status)
{
	bool reached;

	left = at;
	*status = report_print(p, o, sink);
	reached = !left;
	left = 0;
	return reached;
}

static void sweep(enum report_format format, enum report_by by)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	const struct profile *p = fixture_sampled(fixture_profile());
	FILE *sink = fopen("/dev/null", "w");
	long at = 1, refused = 0;
	int status;

	assert_non_null(sink);
	o.format = format;
	o.by = by;
	while (print_with(p, &o, sink, at++, &status)) {
		assert_true(status == 0 || status == -1);
		refused += status == -1;
	}
	assert_int_equal(status, 0);
	assert_true(at > 5 && refused > 0);
	/* what has no number is in no array */
	assert_in_range(longest, 1, 1 << 20);
	fclose(sink);
}

static void test_no_report_ends_the_process(void **state)
{
	static const enum report_format formats[] = {
		REPORT_TEXT,   REPORT_JSON,	 REPORT_HTML, REPORT_PPROF,
		REPORT_FOLDED, REPORT_CALLGRIND, REPORT_CSV,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		sweep(formats[i], REPORT_BY_PATH);
	sweep(REPORT_TEXT, REPORT_BY_GAP);
	sweep(REPORT_JSON, REPORT_BY_GAP);
}

static void test_no_comparison_ends_the_process(void **state)
{
	const struct profile *p = fixture_profile();
	const struct profile *const both[] = {p, p};
	struct match *m = NULL;
	long at = 1;
	bool reached;

	(void)state;
	do {
		left = at++;
		match_free(m);
		m = match_build(both, 2, 1, REPORT_BY_PATH);
		reached = !left;
		left = 0;
		assert_true(m || reached);
	} while (reached);
	assert_true(at > 5 && m->rows > 0);
	match_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_report_ends_the_process),
		cmocka_unit_test(test_no_comparison_ends_the_process),
	};

	return cmocka_run_group_tests_name("report memory", tests, NULL, NULL);
}
