// SPDX-License-Identifier: GPL-3.0-or-later
/* What lies in a directory is listed, whatever it is called, newest first, and bounded. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/serve/pages/index.h"
#include "report/serve/render/renderer.h"
#include "tests/unit/support/place.h"

static const struct index_order newest = {INDEX_STARTED, false};

static const struct source *listed(const struct place *x, const char *name)
{
	const char *path = place_path(x, name);
	const struct source *s;

	HASH_FIND(hh, x->agent.sources, path, strlen(path), s);
	return s && source_is_finished(s) ? s : NULL;
}

static char *page_of(const struct place *x, const struct index_order *order)
{
	static char *text; /* of the last call */
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(index_tables_profiles(&x->agent, order, out), 0);
	fclose(out);
	return text;
}

static void finished_ones_are_listed_newest_first(void **state)
{
	struct place *x = *state;
	const struct source *s;
	char *text;

	place_save_begun(x, "old.scp", 1, UINT64_C(1000000000000000000), 10);
	place_save_begun(x, "new.scp", 2, UINT64_C(1100000000000000000), 20);
	place_save_begun(x, "scprof.a.3.scp", 3, UINT64_C(1050000000000000000), 30);
	scp_build_save_bytes("nothing", 7, place_path(x, "notes.txt"));
	assert_int_equal(mkdir(place_path(x, "dir.scp"), 0700), 0);
	assert_int_equal(symlink("/etc/passwd", place_path(x, "link.scp")), 0);
	agent_scan(&x->agent);
	s = listed(x, "new.scp");
	assert_non_null(s);
	assert_int_equal(s->identity.pid, 2);
	assert_int_equal(s->figures.calls, 20);
	assert_string_equal(s->program, "a");
	assert_null(listed(x, "dir.scp"));
	assert_null(listed(x, "link.scp"));
	text = page_of(x, &newest);
	assert_true(strstr(text, ">new.scp<") < strstr(text, ">scprof.a.3.scp<"));
	assert_true(strstr(text, ">scprof.a.3.scp<") < strstr(text, ">old.scp<"));
	assert_null(strstr(text, "dir.scp"));
	assert_null(strstr(text, "link.scp"));
	free(text);
}

/* A profile that was moved away is no more under its name, which may be another's now; one that
 * was moved within the directory is listed where it lies, and its process is not counted again. */
static void what_was_moved_is_listed_where_it_lies(void **state)
{
	struct place *x = *state;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "result.scp", 2, "/bin/b", 20);
	agent_scan(&x->agent);
	assert_int_equal(listed(x, "result.scp")->figures.calls, 20);
	assert_int_equal(rename(place_path(x, "result.scp"), place_path(x, "before.scp")), 0);
	place_save(x, "result.scp", 3, "/bin/b", 30);
	assert_int_equal(rename(place_path(x, "scprof.a.1.scp"), place_path(x, "kept.scp")), 0);
	agent_scan(&x->agent);
	assert_int_equal(listed(x, "result.scp")->figures.calls, 30);
	assert_non_null(listed(x, "before.scp"));
	assert_int_equal(listed(x, "before.scp")->figures.calls, 20);
	assert_non_null(listed(x, "kept.scp"));
	assert_int_equal(listed(x, "kept.scp")->figures.calls, 10);
	assert_null(listed(x, "scprof.a.1.scp"));
	assert_int_equal(place_calls(x, "a"), 10);
}

/* As cp does it, to a profile that is there. */
static void what_was_written_over_is_read_again(void **state)
{
	const struct timespec later[] = {{.tv_sec = 1}, {.tv_sec = 1}};
	struct place *x = *state;

	place_save(x, "result.scp", 2, "/bin/b", 20);
	agent_scan(&x->agent);
	place_rewrite(x, "result.scp", 3, "/bin/b", 30);
	assert_int_equal(utimensat(AT_FDCWD, place_path(x, "result.scp"), later, 0), 0);
	agent_scan(&x->agent);
	assert_int_equal(listed(x, "result.scp")->figures.calls, 30);
	assert_int_equal(listed(x, "result.scp")->identity.pid, 3);
}

/* By calls; what cannot be read comes last and says why. */
static void the_list_is_sorted_and_gives_reasons(void **state)
{
	const struct index_order most = {INDEX_CALLS, false};
	struct place *x = *state;
	char *text, *few, *many, *bad;

	place_save_begun(x, "few.scp", 1, UINT64_C(1100000000000000000), 10);
	place_save_begun(x, "many.scp", 2, UINT64_C(1000000000000000000), 20);
	scp_build_save_bytes("rubbish", 7, place_path(x, "bad.scp"));
	agent_scan(&x->agent);
	text = page_of(x, &most);
	few = strstr(text, ">few.scp<");
	many = strstr(text, ">many.scp<");
	bad = strstr(text, ">bad.scp<");
	assert_true(many && few > many && bad > few);
	assert_non_null(strstr(bad, "<td>damaged, or no profile</td>"));
	free(text);
}

static void a_listed_profile_opens_and_no_other_file(void **state)
{
	struct place *x = *state;
	struct snapshot s;

	place_save(x, "mine.scp", 1, "/bin/a", 10);
	agent_scan(&x->agent);
	place_save(x, "later.scp", 2, "/bin/a", 10);
	assert_int_equal(snapshot_take_listed(&s, &x->agent, place_path(x, "mine.scp")), 0);
	assert_int_equal(s.files, 1);
	snapshot_free(&s);
	assert_int_equal(snapshot_take_listed(&s, &x->agent, place_path(x, "later.scp")), 0);
	assert_int_equal(s.files, 0);
	snapshot_free(&s);
	/* put in its place */
	assert_int_equal(unlink(place_path(x, "mine.scp")), 0);
	assert_int_equal(symlink("later.scp", place_path(x, "mine.scp")), 0);
	assert_int_equal(snapshot_take_listed(&s, &x->agent, place_path(x, "mine.scp")), 0);
	assert_int_equal(s.files, 0);
	snapshot_free(&s);
}

static void hundreds_are_cut_and_counted(void **state)
{
	struct place *x = *state;
	char name[32], *text;

	agent_close(&x->agent);
	assert_int_equal(place_begin_with(x, &(struct agent_options){.most_files = 600}), 0);
	for (unsigned i = 0; i < 507; i++) {
		snprintf(name, sizeof(name), "f%u.scp", i);
		scp_build_save_bytes("", 0, place_path(x, name));
	}
	agent_scan(&x->agent);
	text = page_of(x, &newest);
	assert_non_null(strstr(text, "and 7 more"));
	free(text);
}

static void names_are_no_markup(void **state)
{
	struct place *x = *state;
	char *text;

	place_save(x, "a&b\"<i>.scp", 1, "/bin/<b>", 10);
	agent_scan(&x->agent);
	text = page_of(x, &newest);
	assert_null(strstr(text, "<i>"));
	assert_null(strstr(text, "<b>"));
	assert_non_null(strstr(text, "%3Ci%3E"));
	free(text);
}

#define LISTING_TEST(f) cmocka_unit_test_setup_teardown(f, place_begin, place_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LISTING_TEST(finished_ones_are_listed_newest_first),
		LISTING_TEST(what_was_moved_is_listed_where_it_lies),
		LISTING_TEST(what_was_written_over_is_read_again),
		LISTING_TEST(the_list_is_sorted_and_gives_reasons),
		LISTING_TEST(a_listed_profile_opens_and_no_other_file),
		LISTING_TEST(hundreds_are_cut_and_counted),
		LISTING_TEST(names_are_no_markup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
