// SPDX-License-Identifier: GPL-3.0-or-later
/* What was left out on purpose stays known: read, combined, written, read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/model_open.h"
#include "tests/unit/support/scp_build.h"

static void set_texts(struct scp_header *h, const char *texts, uint32_t bytes)
{
	memcpy(h->filters, texts, bytes);
	h->filters_bytes = bytes;
}

/* The sample profile; it lived for 1000 ns and recorded `recorded` of them (0: all). */
static const char *save(const char *name, const char *texts, uint32_t bytes, uint64_t recorded)
{
	const char *path = scp_build_name(name);
	struct scp_build b;
	struct scp_sample s;

	scp_build_sample(&b, &s);
	struct scp_header *h = scp_build_header(&b);
	set_texts(h, texts, bytes);
	h->start_mono_ns = 5000;
	h->end_mono_ns = 6000;
	h->recorded_ns = recorded;
	h->windows = recorded ? 2 : 0;
	if (recorded)
		h->flags |= SCP_FILE_WINDOWS;
	scp_build_save(&b, path);
	scp_build_free(&b);
	return path;
}

static const char one[] = "below=serve\0thread=worker-*\0depth=4";

static void reads_texts(void **state)
{
	const char *path = save("one", one, sizeof(one), 0);
	struct profile *p = model_open(&path, 1);

	(void)state;
	assert_string_equal(filters_text(p, "below=", NULL), "serve");
	assert_string_equal(filters_text(p, "depth=", NULL), "4");
	assert_null(filters_text(p, "after=", NULL));
	assert_null(filters_text(p, "below=", filters_text(p, "below=", NULL)));
	assert_false(p->flags & (SCP_FILE_WINDOWS | SCP_FILE_FILTERS_DIFFER));
	profile_free(p);
}

static void same_filters_are_one(void **state)
{
	const char *paths[] = {save("a", one, sizeof(one), 250), save("b", one, sizeof(one), 500)};
	struct profile *p = model_open(paths, 2);

	(void)state;
	assert_false(p->flags & SCP_FILE_FILTERS_DIFFER);
	assert_null(filters_text(p, "below=", filters_text(p, "below=", NULL)));
	assert_int_equal(p->recorded_ns, 750);
	assert_int_equal(p->recorded_of_ns, 2000);
	assert_int_equal(p->windows, 2);
	profile_free(p);
}

static void different_ones_are_said_after_a_merge_too(void **state)
{
	static const char other[] = "below=draw\0depth=4";
	const char *paths[] = {save("c", one, sizeof(one), 250),
			       save("d", other, sizeof(other), 0)};
	const char *merged = scp_build_name("merged");
	struct profile *p = model_open(paths, 2);
	struct profile_error err;

	(void)state;
	assert_int_equal(write_profile(p, merged, &err), 0);
	profile_free(p);
	p = model_open(&merged, 1);
	const char *first = filters_text(p, "below=", NULL);
	assert_string_equal(first, "serve");
	assert_string_equal(filters_text(p, "below=", first), "draw");
	assert_null(filters_text(p, "depth=", filters_text(p, "depth=", NULL)));
	assert_true(p->flags & SCP_FILE_FILTERS_DIFFER);
	assert_true(p->flags & SCP_FILE_WINDOWS);
	assert_int_equal(p->recorded_ns, 1250); /* the other was recorded as long as it lived */
	assert_int_equal(p->recorded_of_ns, 2000);
	profile_free(p);
}

static void refuses_damage(void **state)
{
	const char *path = scp_build_name("damaged");
	struct profile_error err;

	(void)state;
	for (uint32_t bytes = 5; bytes <= SCP_FILTERS_BYTES + 1; bytes += SCP_FILTERS_BYTES - 4) {
		struct scp_build b;
		struct scp_sample s;

		scp_build_sample(&b, &s);
		memset(scp_build_header(&b)->filters, 'x', 8);
		scp_build_header(&b)->filters_bytes = bytes;
		scp_build_save(&b, path);
		scp_build_free(&b);
		assert_null(profile_open(&path, 1, &err));
		assert_non_null(strstr(err.text, "filters"));
		remove(path);
	}
}

static int clean_up(void **state)
{
	(void)state;
	scp_build_cleanup();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_texts),
		cmocka_unit_test(same_filters_are_one),
		cmocka_unit_test(different_ones_are_said_after_a_merge_too),
		cmocka_unit_test(refuses_damage),
	};
	return cmocka_run_group_tests(tests, NULL, clean_up);
}
