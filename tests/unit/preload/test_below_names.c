// SPDX-License-Identifier: GPL-3.0-or-later
/* Python functions against the patterns of --below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "preload/filter/below.h"

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
	{"send\nreply\n", "a.py", "reply", true},
	{"send\nreply\n", "a.py", "receive", false},
	{"a.*,!reply", "a.py", "reply", false},
	{"!reply,a.*", "a.py", "reply", true},
	{"a.*,!reply", "a.py", "send", true},
	{"!reply", "a.py", "send", false},
	/* of C and C++ */
	{"a::reply", "a.py", "reply", false},
	{"libc.so.6:reply", "a.py", "reply", false},
	/* odd ones */
	{"", "a.py", "reply", false},
	{",,!", "a.py", "reply", false},
	{"reply", "", "reply", true},
	{"*", "<string>", "<module>", true},
	{"<module>", "<frozen importlib._bootstrap>", "<module>", true},
	{"x.:", ".py", "", false},
	{":", "a.py", "reply", false},
};

static void matches(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		below_names_take(cases[i].patterns);
		if (below_names_source(cases[i].file, cases[i].name) != cases[i].below)
			fail_msg("'%s' of %s %s", cases[i].patterns, cases[i].file, cases[i].name);
	}
	below_names_take(NULL);
	assert_false(below_names_source("a.py", "reply"));
}

/* Of long paths and names the end counts, and nothing is written beyond. */
static void long_ones(void **state)
{
	static char path[6000], name[3000], many[20000];

	(void)state;
	memset(path, 'd', sizeof path - 1);
	memcpy(path + 5960, "/app/service.py", 16);
	below_names_take("app.service.reply,service.py:sent");
	assert_true(below_names_source(path, "reply"));
	assert_true(below_names_source(path, "sent"));
	memset(name, 'n', sizeof name - 1);
	assert_false(below_names_source(path, name));
	memset(many, 'p', sizeof many - 1);
	below_names_take(many);
	assert_false(below_names_source("a.py", "reply"));
}

static void only(void **state)
{
	(void)state;
	assert_true(below_names_only("reply,service.py:reply"));
	assert_true(below_names_only("app.reply"));
	assert_false(below_names_only("reply,!a.b"));
	assert_false(below_names_only("libz.so.1:inflate"));
	assert_false(below_names_only(""));
	assert_false(below_names_only(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches),
		cmocka_unit_test(long_ones),
		cmocka_unit_test(only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
