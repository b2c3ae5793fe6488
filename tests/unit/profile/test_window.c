// SPDX-License-Identifier: GPL-3.0-or-later
/* A model by function holds what its files do, however it was made; and the difference of two
 * readings is what happened between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"
#include "tests/unit/support/scp_build.h"

/* The sample's file with every entry's sums times `factor`. */
static const char *sample(const char *name, uint64_t factor)
{
	const char *path = scp_build_name(name);
	struct scp_sample at;
	struct scp_build b;

	scp_build_sample(&b, &at);
	for (uint64_t i = SCP_HEADER_BYTES; i + sizeof(struct scp_entry) <= b.used;
	     i += SCP_RECORD_ALIGN) {
		struct scp_entry *e = (struct scp_entry *)(void *)(b.bytes + i);

		if (e->rec.type != SCP_REC_ENTRY || e->rec.bytes != sizeof(*e))
			continue;
		e->calls *= factor;
		e->units *= factor;
		prof_u128 squares = (((prof_u128)e->units_sq_hi << 64) | e->units_sq_lo) * factor;

		e->units_sq_lo = (uint64_t)squares;
		e->units_sq_hi = (uint64_t)(squares >> 64);
		e->bytes *= factor;
		e->batch_count = 0;
		e->batch_end = e->batch_calls + e->calls;
		e->batch_base_units = 0;
	}
	scp_build_save(&b, path);
	scp_build_free(&b);
	return path;
}

static struct profile *load(const char *path)
{
	struct profile_error err;
	struct profile *p = profile_open(&path, 1, &err);

	if (!p)
		fail_msg("%s", err.text);
	return p;
}

static void total(const struct profile *p, struct prof_sums *sums, uint64_t *overflow)
{
	*sums = (struct prof_sums){0};
	*overflow = 0;
	for (uint32_t i = 0; i < p->entries; i++) {
		sums->calls += p->entry[i].sums.calls;
		sums->units += p->entry[i].sums.units;
		sums->units_sq += p->entry[i].sums.units_sq;
		sums->bytes += p->entry[i].sums.bytes;
		sums->inner_calls += p->entry[i].sums.inner_calls;
	}
	for (uint32_t i = 0; i < p->functions; i++)
		*overflow += p->function[i].overflow_calls;
}

static void assert_total(const struct profile *p, const struct profile *of, uint64_t times)
{
	struct prof_sums have, want;
	uint64_t lost, wanted;

	total(p, &have, &lost);
	total(of, &want, &wanted);
	assert_int_equal(have.calls, times * want.calls);
	assert_int_equal(have.units, times * want.units);
	assert_true(have.units_sq == times * want.units_sq);
	assert_int_equal(have.bytes, times * want.bytes);
	assert_int_equal(have.inner_calls, times * want.inner_calls);
	assert_int_equal(lost, times * wanted);
}

static void functions_keep_the_sums(void **state)
{
	struct profile *file = load(sample("a.scp", 1)), *once = profile_new(),
		       *twice = profile_new();
	struct profile_error err;

	(void)state;
	assert_int_equal(functions_add(once, file, NULL, &err), 0);
	assert_total(once, file, 1);
	assert_int_equal(once->processes, 1);
	assert_int_equal(once->gaps, 0);
	if (model_check(once))
		fail_msg("%s", model_check(once));
	assert_int_equal(functions_add(twice, once, NULL, &err), 0);
	assert_int_equal(functions_add(twice, file, NULL, &err), 0);
	assert_total(twice, file, 2);
	assert_int_equal(twice->entries, once->entries);
	assert_int_equal(twice->process[0].count, 2);
	assert_true(twice->clock.overhead.inside_ns == once->clock.overhead.inside_ns ||
		    twice->clock.overhead.measurements == 0);
	profile_free(file);
	profile_free(once);
	profile_free(twice);
}

static void functions_can_be_left_out(void **state)
{
	struct profile *file = load(sample("a.scp", 1)), *p = profile_new();
	struct profile_error err;
	bool skip[16] = {0};
	uint64_t calls = 0, kept = 0;

	(void)state;
	assert_true(file->functions < 16);
	skip[0] = true;
	for (uint32_t i = 0; i < file->entries; i++)
		if (file->entry[i].function != 0)
			calls += file->entry[i].sums.calls;
	assert_int_equal(functions_add(p, file, skip, &err), 0);
	for (uint32_t i = 0; i < p->entries; i++)
		kept += p->entry[i].sums.calls;
	assert_int_equal(kept, calls);
	assert_int_equal(p->functions, file->functions - 1);
	profile_free(file);
	profile_free(p);
}

static void another_clock_is_refused(void **state)
{
	struct profile *file = load(sample("a.scp", 1)), *other, *p = profile_new();
	struct profile_error err;
	struct scp_build b;

	(void)state;
	scp_build_begin(&b);
	scp_build_header(&b)->clock.kind = SCP_CLOCK_COARSE;
	scp_build_header(&b)->clock.resolution_units = 4000000;
	scp_build_finish(&b);
	scp_build_save(&b, scp_build_name("b.scp"));
	scp_build_free(&b);
	other = load(scp_build_name("b.scp"));
	assert_int_not_equal(file->clock.kind, other->clock.kind);
	assert_int_equal(functions_add(p, file, NULL, &err), 0);
	assert_int_equal(functions_add(p, other, NULL, &err), -1);
	assert_true(*err.text);
	assert_total(p, file, 1);
	profile_free(file);
	profile_free(other);
	profile_free(p);
}

static void the_difference_is_what_happened_between(void **state)
{
	const char *early = sample("early.scp", 1), *late = sample("late.scp", 3);
	struct profile *p = load(early), *file = load(early);
	struct profile_error err;
	struct model_mark mark;
	uint64_t overflow;
	struct prof_sums sums, want;

	(void)state;
	assert_int_equal(model_difference_mark(p, &mark), 0);
	assert_int_equal(profile_add(p, late, &err), 0);
	assert_int_equal(model_difference_make(p, &mark), 0);
	total(p, &sums, &overflow);
	total(file, &want, &overflow);
	assert_int_equal(sums.calls, 2 * want.calls);
	assert_int_equal(sums.units, 2 * want.units);
	assert_true(sums.units_sq == 2 * want.units_sq);
	assert_int_equal(sums.bytes, 2 * want.bytes);
	assert_int_equal(p->processes, 1);
	assert_int_equal(p->gaps, 0);
	total(p, &sums, &overflow);
	assert_int_equal(overflow, 0); /* the same in both */
	model_difference_mark_free(&mark);
	profile_free(p);
	profile_free(file);
}

static void nothing_between_is_nothing(void **state)
{
	const char *path = sample("early.scp", 1), *less = sample("less.scp", 0);
	struct profile *p = load(path), *q = load(path);
	struct profile_error err;
	struct model_mark mark;

	(void)state;
	assert_int_equal(model_difference_mark(p, &mark), 0);
	assert_int_equal(profile_add(p, path, &err), 0);
	assert_int_equal(model_difference_make(p, &mark), 0);
	assert_int_equal(p->entries, 0);
	model_difference_mark_free(&mark);
	/* what went backwards says nothing */
	assert_int_equal(model_difference_mark(q, &mark), 0);
	assert_int_equal(profile_add(q, less, &err), 0);
	assert_int_equal(model_difference_make(q, &mark), 0);
	assert_int_equal(q->entries, 0);
	model_difference_mark_free(&mark);
	profile_free(p);
	profile_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_keep_the_sums),
		cmocka_unit_test(functions_can_be_left_out),
		cmocka_unit_test(another_clock_is_refused),
		cmocka_unit_test(the_difference_is_what_happened_between),
		cmocka_unit_test(nothing_between_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
