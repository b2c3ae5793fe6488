// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of programs in profiles: kept by merging, distinguished when processes are folded, and the
 * executable's in older profiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/model_open.h"
#include "tests/unit/support/scp_build.h"

static void save(const char *path, const char *exe, const char *program)
{
	struct scp_build b;
	struct scp_sample s;

	scp_build_sample(&b, &s);
	strcpy(scp_build_header(&b)->exe, exe);
	memset(scp_build_header(&b)->program, 0, sizeof scp_build_header(&b)->program);
	strcpy(scp_build_header(&b)->program, program);
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static void the_name_or_of_files_of_before_the_executable(void **state)
{
	static const struct {
		const char *exe, *program, *name;
	} cases[] = {
		{"/usr/bin/redis-check-rdb", "redis-server", "redis-server"},
		{"/usr/bin/redis-check-rdb", "", "redis-check-rdb"},
		{"/opt/app (deleted)", "", "app"},
		{"/opt/app (deleted)", "odd (deleted)", "odd (deleted)"},
		{"app", "", "app"},
		{"", "", ""},
		{"/opt/", "", ""},
		{" (deleted)", "", " (deleted)"},
		{"/opt/app", "../../etc/x", "x"}, /* no library writes that */
		{"/opt/app", "/", "app"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *path = scp_build_name("plain.scp");
		struct profile *p;

		save(path, cases[i].exe, cases[i].program);
		p = model_open(&path, 1);
		assert_string_equal(p->process[0].program, cases[i].name);
		assert_string_equal(p->process[0].exe, cases[i].exe);
		profile_free(p);
	}
}

static void write_as(const struct profile *p, const char *path)
{
	struct profile_error err;

	if (write_profile(p, path, &err))
		fail_msg("%s", err.text);
}

static void merging_keeps_names_of_all_lengths(void **state)
{
	const char *from = scp_build_name("from.scp"), *to = scp_build_name("to.scp");
	char name[256] = "";

	(void)state;
	for (size_t i = 1; i < sizeof name; i += 2) {
		struct profile *p, *q;

		memset(name, 'n', i);
		save(from, "/opt/app", name);
		p = model_open(&from, 1);
		write_as(p, to);
		q = model_open(&to, 1);
		assert_string_equal(q->process[0].program, name);
		if (model_difference(p, q))
			fail_msg("%s", model_difference(p, q));
		profile_free(p);
		profile_free(q);
	}
}

/* A merged file of two processes, with `strings` as their records, one behind the other, have
 * them. */
static void save_merged(const char *path, const char *strings, uint32_t bytes)
{
	struct scp_build b;

	scp_build_begin(&b);
	scp_build_header(&b)->flags = SCP_FILE_MERGED;
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	for (uint32_t i = 1; i <= 2; i++) {
		struct scp_process *r = scp_build_record(
			&b, SCP_REC_PROCESS, offsetof(struct scp_process, strings) + bytes);

		r->index = i;
		r->count = r->argc = 1;
		r->exe_bytes = (uint32_t)strlen(strings) + 1;
		r->argv_bytes = (uint32_t)strlen(strings + r->exe_bytes) + 1;
		memcpy(r->strings, strings, bytes);
	}
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static void expect_merged(const char *strings, uint32_t bytes, const char *name)
{
	const char *path = scp_build_name("merged.scp");
	struct profile *p;

	save_merged(path, strings, bytes);
	p = model_open(&path, 1);
	assert_int_equal(p->processes, 2);
	assert_string_equal(p->process[0].program, name);
	profile_free(p);
}

static void merged_files_of_before_fall_back_too(void **state)
{
	char full[192] = "/opt/app";

	(void)state;
	expect_merged("/opt/app\0argument", sizeof "/opt/app\0argument", "app");
	/* Not a byte behind the arguments: */
	memset(full + 9, 'a', 64 - 10);
	expect_merged(full, 64, "app");
	expect_merged("/opt/app\0argument\0link", sizeof "/opt/app\0argument\0link", "link");
	memcpy(full + 64, "link\0more", 10);
	expect_merged(full, 128, "link");
}

static void a_name_without_end_is_damage(void **state)
{
	const char *path = scp_build_name("damaged.scp");
	struct profile *p = profile_new();
	struct profile_error err = {""};
	struct scp_build b;
	struct scp_sample s;
	char full[128] = "/opt/app\0argument";

	(void)state;
	memset(full + sizeof "/opt/app\0argument", 'x', sizeof full - sizeof "/opt/app\0argument");
	save_merged(path, full, sizeof full);
	assert_int_equal(profile_add(p, path, &err), -1);
	assert_non_null(
		strstr(err.text, "of its processes, number 1 (table 0) has a text without an end"));
	scp_build_sample(&b, &s);
	memset(scp_build_header(&b)->program, 'x', sizeof scp_build_header(&b)->program);
	scp_build_save(&b, path);
	scp_build_free(&b);
	assert_int_equal(profile_add(p, path, &err), -1);
	assert_non_null(strstr(err.text, "the program's name has no end"));
	assert_int_equal(p->processes, 0);
	profile_free(p);
}

/* redis-server and redis-check-rdb are one file; two programs may share a name. */
static void folding_needs_the_same_executable_and_name(void **state)
{
	static const char *const exe[] = {"/bin/a", "/bin/a", "/bin/b", "/bin/a", "/bin/a"};
	static const char *const name[] = {"x", "y", "x", "x", ""};
	const char *path[5];
	struct profile *p;

	(void)state;
	for (int i = 0; i < 5; i++) {
		char file[16];

		snprintf(file, sizeof file, "%d.scp", i);
		path[i] = strdup(scp_build_name(file));
		assert_non_null(path[i]);
		save(path[i], exe[i], name[i]);
	}
	p = model_open(path, 5);
	fold_model(p, 1);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	assert_int_equal(p->processes, 4);
	assert_int_equal(p->process[0].count, 2);
	assert_string_equal(p->process[0].program, "x");
	assert_string_equal(p->process[1].program, "y");
	assert_string_equal(p->process[2].exe, "/bin/b");
	assert_string_equal(p->process[3].program, "a"); /* older */
	profile_free(p);
	for (int i = 0; i < 5; i++)
		free((void *)(uintptr_t)path[i]);
}

static void condensed_calls_keep_the_name(void **state)
{
	const char *path = scp_build_name("c.scp");
	struct profile *p, *to = profile_new();
	struct profile_error err;

	(void)state;
	save(path, "/opt/app", "link");
	p = model_open(&path, 1);
	assert_int_equal(functions_add(to, p, NULL, &err), 0);
	profile_free(p);
	assert_string_equal(to->process[0].program, "link");
	profile_free(to);
}

static int tidy(void **state)
{
	(void)state;
	scp_build_cleanup();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_or_of_files_of_before_the_executable),
		cmocka_unit_test(merging_keeps_names_of_all_lengths),
		cmocka_unit_test(merged_files_of_before_fall_back_too),
		cmocka_unit_test(a_name_without_end_is_damage),
		cmocka_unit_test(folding_needs_the_same_executable_and_name),
		cmocka_unit_test(condensed_calls_keep_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, tidy);
}
