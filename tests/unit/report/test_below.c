// SPDX-License-Identifier: GPL-3.0-or-later
/* --below against the names of functions of source files: which calls are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/symbols/function_names.h"

static const struct {
	const char *patterns, *file, *name;
	bool below;
} cases[] = {
	{"reply", "/srv/app/service.py", "reply", true},
	{"reply", "/srv/app/service.py", "Service.reply", true},
	{"Service.reply", "/srv/app/service.py", "Service.reply", true},
	{"Service.reply", "/srv/app/service.py", "reply", false},
	{"service.reply", "/srv/app/service.py", "reply", true},
	{"app.service.Service.reply", "/srv/app/service.py", "Service.reply", true},
	{"srv.app.service.reply", "/srv/app/service.py", "reply", true},
	{"x.srv.app.service.reply", "/srv/app/service.py", "reply", false},
	{"pp.service.reply", "/srv/app/service.py", "reply", false},
	{"ervice.reply", "/srv/app/service.py", "reply", false},
	{"repl", "/srv/app/service.py", "reply", false},
	{"service", "/srv/app/service.py", "reply", false},
	{"service.*", "/srv/app/service.py", "reply", true},
	{"*.reply", "/srv/app/service.py", "reply", true},
	{"re*y", "/srv/app/service.py", "Service.reply", true},
	{"inner", "a.py", "outer.<locals>.inner", true},
	{"a.outer.*", "a.py", "outer.<locals>.inner", true},
	{"a.inner", "a.py", "inner", true},
	/* packages */
	{"app.reply", "/srv/app/__init__.py", "reply", true},
	{"__init__.reply", "/srv/app/__init__.py", "reply", false},
	/* FILE:NAME */
	{"service.py:reply", "/srv/app/service.py", "Service.reply", true},
	{"service:reply", "/srv/app/service.py", "reply", true},
	{"service:*", "/srv/app/service.py", "reply", true},
	{"service.py:Service.reply", "/srv/app/service.py", "Service.reply", true},
	{"service.py:reply", "/srv/app/other_service.py", "reply", false},
	{"*service.py:reply", "/srv/app/other_service.py", "reply", true},
	{"/srv/*/service.py:reply", "/srv/app/service.py", "reply", true},
	{"app/service.py:reply", "/srv/app/service.py", "reply", false},
	{"service:reply", "/srv/service/reply.py", "other", false},
	/* lists: the last that matches decides */
	{"send,reply", "a.py", "reply", true},
	{"a.*,!reply", "a.py", "reply", false},
	{"!reply,a.*", "a.py", "reply", true},
	{"a.*,!reply", "a.py", "send", true},
	{"!reply", "a.py", "send", false},
	/* of C and C++ */
	{"a::reply", "a.py", "reply", false},
	{"libc.so.6:reply", "a.py", "reply", false},
	/* odd ones */
	{",,!", "a.py", "reply", false},
	{"*", "<string>", "<module>", true},
	{"<module>", "<frozen importlib._bootstrap>", "<module>", true},
	{":", "a.py", "reply", false},
};

/* Two paths, of which the second has no frame. */
struct made {
	struct prof_source_function function;
	struct prof_source_line line;
	struct prof_frame frame;
	struct prof_path path[2];
	struct prof_entry entry[2];
	struct profile p;
};

static void make(struct made *m, const char *patterns, const char *file, const char *name)
{
	memset(m, 0, sizeof(*m));
	m->function = (struct prof_source_function){(char *)(uintptr_t)name,
						    (char *)(uintptr_t)file, 1, 1};
	m->frame = (struct prof_frame){.module = PROF_SOURCE};
	m->path[0] = (struct prof_path){&m->frame, 1, 0};
	m->path[1] = (struct prof_path){NULL, 0, SCP_PATH_CUT};
	m->entry[0].sums.calls = 3;
	m->entry[1].sums.calls = 4;
	m->entry[1].path = 1;
	m->p = (struct profile){.path = m->path,
				.paths = 2,
				.entry = m->entry,
				.entries = 2,
				.source_function = &m->function,
				.source_functions = 1,
				.source_line = &m->line,
				.source_lines = 1};
	m->p.filters_bytes =
		1 + (uint32_t)snprintf(m->p.filters, sizeof(m->p.filters), "below=%s", patterns);
	below_mark(&m->p);
}

static void leaves_out(void **state)
{
	static struct made m;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		make(&m, cases[i].patterns, cases[i].file, cases[i].name);
		if (profile_leaves_out(&m.p, 0) == cases[i].below)
			fail_msg("'%s' of %s %s", cases[i].patterns, cases[i].file, cases[i].name);
		assert_true(profile_leaves_out(&m.p, 1));
		assert_true(profile_leaves_out(&m.p, PROF_NONE));
		assert_int_equal(m.p.below.left_out_calls, cases[i].below ? 4 : 7);
		assert_int_equal(m.p.below.cut_paths, 1);
	}
}

static void tells_what_means_nothing(void **state)
{
	static struct made m;

	(void)state;
	make(&m, "reply,other", "a.py", "reply");
	assert_string_equal(m.p.below.unmatched, "other");
	make(&m, "reply,!other", "a.py", "reply");
	assert_string_equal(m.p.below.unmatched, "");
}

/* A profile must not have a file opened. */
static void opens_no_file(void **state)
{
	static struct made m;

	(void)state;
	make(&m, "reply,@/proc/self/environ", "a.py", "reply");
	assert_true(profile_leaves_out(&m.p, 0));
	assert_string_equal(m.p.below.unmatched, "reply,@/proc/self/environ");
}

/* Merged profiles of other filters: what any of them means stays. */
static void several_filters(void **state)
{
	static struct made m;

	(void)state;
	make(&m, "other", "a.py", "reply");
	memcpy(m.p.filters + m.p.filters_bytes, "below=reply", 12);
	m.p.filters_bytes += 12;
	below_mark(&m.p);
	assert_false(profile_leaves_out(&m.p, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_out),
		cmocka_unit_test(tells_what_means_nothing),
		cmocka_unit_test(opens_no_file),
		cmocka_unit_test(several_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
