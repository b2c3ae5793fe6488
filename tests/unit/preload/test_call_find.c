// SPDX-License-Identifier: GPL-3.0-or-later
/* The state in which the library measures its own cost has no file. When another thread makes its
 * memo stale just then, no path is walked for it, and nothing is made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "preload/call/call_begin.c"
#include "tests/unit/preload/made_thread.h"

static unsigned searches;
static struct scp_memo *const known = (struct scp_memo *)(uint64_t[64]){0};

struct scp_memo *path_cache_find(struct scp_thread *t, const struct walk_start *from,
				 uint32_t function)
{
	(void)t, (void)from, (void)function;
	searches++;
	return known;
}

/* Not called. */
bool walk_is_above(const struct walk_start *from)
{
	return from != NULL;
}

bool walk_is_inside(struct scp_thread *t, const struct walk_start *from, bool interrupts)
{
	return t && from && interrupts;
}

struct scp_memo *path_cache_search(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				   uint32_t function)
{
	return t && ra + cfa + fp + function ? known : NULL;
}

static void test_a_state_without_a_file_records_nothing(void **state)
{
	struct scp_thread *t = made_thread(SCP_GRANULE, 1 << 16);
	uintptr_t outer = 0;

	(void)state;
	process_groups = SCP_GROUP_SOCKET;
	assert_ptr_equal(call_find_memo(t, 1, 2, 3, FN_send, &outer), known);
	assert_int_equal(searches, 1);
	t->file = NULL;
	assert_null(call_find_memo(t, 1, 2, 3, FN_send, &outer));
	assert_int_equal(searches, 1);
	made_thread_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_state_without_a_file_records_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
