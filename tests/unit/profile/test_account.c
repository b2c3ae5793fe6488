// SPDX-License-Identifier: GPL-3.0-or-later
/* Accounts of the CPUs' time in profiles: what is written is read, once each run; what is damaged
 * is refused; a tool that does not know them reads the rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "tests/unit/support/scp_build.h"

/* More CPUs than one chunk has room for, and long texts. */
#define CPUS  70
#define TEXTS 4

static char *text_of(uint32_t i)
{
	static char text[1500];

	memset(text, 'a' + (int)i, 1400 - i);
	text[1400 - i] = 0;
	return text;
}

static void add_account(struct profile *p, uint64_t run)
{
	struct prof_account *a = account_add(p);

	assert_non_null(a);
	a->run = run;
	a->uncharged = (struct prof_cost_value){-1234, 567, 15.25};
	a->rusage_ns = 1e9;
	for (uint32_t i = 0; i < CPUS; i++) {
		struct prof_account_cpu cpu = {.cpu = i, .wall_ns = 1e9 + i};

		for (int k = 0; k < SCP_ACCOUNT_PARTS; k++)
			cpu.part_ns[k] = 1e8 * k - i;
		assert_int_equal(account_add_cpu(a, &cpu), 0);
	}
	for (uint32_t i = 0; i < TEXTS; i++)
		assert_int_equal(account_add_text(a, text_of(i)), 0);
}

static void save_plain(const char *path)
{
	struct scp_build b;

	scp_build_begin(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_header(&b)->end_state = SCP_END_EXIT;
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static void check(const struct prof_account *a, uint64_t run)
{
	assert_true(a->run == run);
	assert_true(a->uncharged.ns == -1234 && a->uncharged.error_ns == 567);
	assert_true(fabs(a->uncharged.freedom - 15.25) < 1e-9 && a->rusage_ns == 1e9);
	assert_int_equal(a->cpus, CPUS);
	for (uint32_t i = 0; i < CPUS; i++) {
		assert_int_equal(a->cpu[i].cpu, i);
		assert_true(a->cpu[i].wall_ns == 1e9 + i);
		for (int k = 0; k < SCP_ACCOUNT_PARTS; k++)
			assert_true(a->cpu[i].part_ns[k] == 1e8 * k - i);
	}
	assert_int_equal(a->texts, TEXTS);
	for (uint32_t i = 0; i < TEXTS; i++)
		assert_string_equal(a->text[i], text_of(i));
}

static void test_accounts_are_written_and_read(void **state)
{
	const char *plain = scp_build_name("a.scp"), *path = scp_build_name("b.scp");
	struct profile_error err;
	struct profile *p = profile_new(), *q = profile_new();

	(void)state;
	save_plain(plain);
	assert_int_equal(profile_add(p, plain, &err), 0);
	add_account(p, 7);
	add_account(p, 8);
	assert_int_equal(write_profile(p, path, &err), 0);
	assert_int_equal(profile_add(q, path, &err), 0);
	assert_int_equal(q->accounts, 2);
	check(&q->account[0], 7);
	check(&q->account[1], 8);
	/* the same runs again */
	assert_int_equal(profile_add(q, path, &err), 0);
	assert_int_equal(q->accounts, 2);
	profile_free(p);
	profile_free(q);
}

static void test_nothing_can_be_said_stays_that(void **state)
{
	const char *plain = scp_build_name("a.scp"), *path = scp_build_name("b.scp");
	struct profile_error err;
	struct profile *p = profile_new(), *q = profile_new();

	(void)state;
	save_plain(plain);
	assert_int_equal(profile_add(p, plain, &err), 0);
	add_account(p, 7);
	p->account[0].uncharged.error_ns = INFINITY;
	p->account[0].cpu[0].part_ns[3] = NAN;
	assert_int_equal(write_profile(p, path, &err), 0);
	assert_int_equal(profile_add(q, path, &err), 0);
	assert_true(isinf(q->account[0].uncharged.error_ns));
	profile_free(p);
	profile_free(q);
}

enum damage { SOUND, NO_ACCOUNT, NO_END, TWO, WRONG_CHUNK, OF_A_TABLE, UNKNOWN_KIND };

static void save_damaged(const char *path, enum damage damage)
{
	struct scp_build b;
	struct scp_account *a;
	struct scp_account_text *t;

	scp_build_begin(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	if (damage == WRONG_CHUNK)
		((struct scp_account *)scp_build_record(&b, SCP_REC_ACCOUNT, sizeof *a))->id = 5;
	scp_build_close_chunk(&b);
	scp_build_open_optional(&b, damage == UNKNOWN_KIND ? 1000 : SCP_OPTIONAL_ACCOUNT,
				damage == OF_A_TABLE);
	for (int i = 0; i < (damage == TWO ? 2 : 1); i++) {
		a = scp_build_record(&b, SCP_REC_ACCOUNT, sizeof *a);
		a->id = 1;
	}
	t = scp_build_record(&b, SCP_REC_ACCOUNT_TEXT, sizeof *t + 8);
	t->account = damage == NO_ACCOUNT ? 2 : 1;
	memset(t->text, damage == NO_END ? 'x' : 0, t->rec.bytes - sizeof *t);
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_header(&b)->end_state = SCP_END_EXIT;
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static void test_damage_is_refused_and_what_is_not_known_left_out(void **state)
{
	const char *path = scp_build_name("a.scp");

	(void)state;
	for (enum damage damage = SOUND; damage <= UNKNOWN_KIND; damage++) {
		struct profile *p = profile_new();
		struct profile_error err = {""};
		bool read = damage == SOUND || damage == UNKNOWN_KIND;

		save_damaged(path, damage);
		assert_int_equal(profile_add(p, path, &err), read ? 0 : -1);
		assert_true(read || strstr(err.text, "damaged"));
		assert_int_equal(p->accounts, damage == SOUND);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accounts_are_written_and_read),
		cmocka_unit_test(test_nothing_can_be_said_stays_that),
		cmocka_unit_test(test_damage_is_refused_and_what_is_not_known_left_out),
	};

	return cmocka_run_group_tests_name("profile account", tests, NULL, NULL);
}
