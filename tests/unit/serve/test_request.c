// SPDX-License-Identifier: GPL-3.0-or-later
/* What requests are understood as, which are refused, and that no bytes at all do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/serve/http/http.h"
#include "report/serve/http/http_private.h"

/* The address of the last request; the texts of a request point into it. */
static char given[4096];

/* libmicrohttpd takes it apart and decodes it; this does not decode. */
static struct request request_of(const char *method, const char *uri, const char *host,
				 bool loopback)
{
	struct request r;
	char *query, *at;

	strncpy(given, uri, sizeof(given) - 1);
	query = strchr(given, '?');
	if (query)
		*query++ = '\0';
	request_begin(&r, method, given, host, loopback);
	while ((at = strsep(&query, "&"))) {
		char *value = at, *name = strsep(&value, "=");

		if (*name)
			request_add(&r, name, value);
	}
	request_end(&r);
	return r;
}

static struct request asked(const char *uri)
{
	return request_of("GET", uri, "localhost:9464", true);
}

static void finds_its_pages(void **state)
{
	(void)state;
	assert_int_equal(asked("/").route, REQUEST_INDEX);
	assert_int_equal(asked("/metrics").route, REQUEST_METRICS);
	assert_int_equal(asked("/healthz?").status, 200);
	assert_int_equal(asked("/nothing").status, 404);
	assert_int_equal(asked("/metrics/").status, 404);
	assert_int_equal(asked("//metrics").status, 404);
	assert_int_equal(asked("http://elsewhere/").status, 404);
	assert_int_equal(asked("").status, 404);
}

static void reads_parameters(void **state)
{
	struct request r = asked("/debug/pprof/profile?seconds=2.5&service=a b c&clock=page");

	(void)state;
	assert_int_equal(r.status, 200);
	assert_true(r.seconds == 2.5);
	assert_string_equal(r.service, "a b c");
	assert_int_equal(r.clock, SCP_CLOCK_PAGE);
	r = asked("/debug/pprof/profile");
	assert_true(r.seconds == REQUEST_SECONDS_DEFAULT);
	assert_string_equal(r.service, "");
	r = asked("/service?service=x&refresh=30");
	assert_int_equal(r.refresh, 30);
}

static void sorts_the_processes(void **state)
{
	(void)state;
	assert_int_equal(asked("/").order.column, INDEX_STARTED);
	assert_int_equal(asked("/?sort=calls").order.column, INDEX_CALLS);
	assert_false(asked("/?sort=calls").order.reversed);
	assert_int_equal(asked("/?sort=-pid").order.column, INDEX_PID);
	assert_true(asked("/?sort=-pid").order.reversed);
	assert_int_equal(asked("/?sort=").status, 400);
	assert_int_equal(asked("/?sort=--pid").status, 400);
	assert_int_equal(asked("/?sort=pid<b>").status, 400);
	assert_int_equal(asked("/metrics?sort=pid").status, 400);
}

static void refuses_what_it_does_not_understand(void **state)
{
	static const char *const bad[] = {
		"/metrics?seconds=1",
		"/debug/pprof/profile?second=1",
		"/debug/pprof/profile?seconds=",
		"/debug/pprof/profile?seconds=.",
		"/debug/pprof/profile?seconds=-1",
		"/debug/pprof/profile?seconds=1e3",
		"/debug/pprof/profile?seconds=0x10",
		"/debug/pprof/profile?seconds=nan",
		"/debug/pprof/profile?seconds=inf",
		"/debug/pprof/profile?seconds=3601",
		"/debug/pprof/profile?seconds",
		"/debug/pprof/profile?seconds=1.2.3",
		"/debug/pprof/profile?debug=1",
		"/debug/pprof/profile?clock=dual",
		"/debug/pprof/profile?clock=",
		"/service",
		"/service?service=",
		"/service?service=x&refresh=0",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct request r = asked(bad[i]);

		if (r.status != 400)
			fail_msg("%s: status %u", bad[i], r.status);
		assert_true(*r.problem);
	}
}

static void hears_only_get_and_head(void **state)
{
	static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "get", ""};
	struct request r;

	(void)state;
	r = request_of("HEAD", "/metrics", NULL, true);
	assert_int_equal(r.status, 200);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		r = request_of(methods[i], "/metrics", NULL, true);
		assert_int_equal(r.status, 405);
	}
}

/* A page of another name that was bound to 127.0.0.1 must not read ours. */
static void hears_only_names_of_loopback(void **state)
{
	static const char *const good[] = {"localhost",	  "LOCALHOST:9464", "127.0.0.1",
					   "127.1.2.3:1", "[::1]",	    "[::1]:9464"};
	static const char *const bad[] = {"evil.example",
					  "localhost.evil.example",
					  "127.0.0.1.evil.example",
					  "127.0.0.1:80@evil",
					  "127.0.0",
					  "127.0.0.256",
					  "128.0.0.1",
					  "[::2]",
					  "[::1",
					  "localhost:9464x",
					  "",
					  ":9464",
					  "1270.0.0.1",
					  "127..0.1"};
	struct request r;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!request_host_is_loopback(good[i]))
			fail_msg("%s was refused", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (request_host_is_loopback(bad[i]))
			fail_msg("%s was heard", bad[i]);
	r = request_of("GET", "/", "evil.example", true);
	assert_int_equal(r.status, 403);
	r = request_of("GET", "/", "host-7.example:9464", false);
	assert_int_equal(r.status, 200);
}

static void reads_addresses(void **state)
{
	static const struct {
		const char *text, *means;
		bool loopback;
	} good[] = {{"127.0.0.1:9464", "127.0.0.1:9464", true},
		    {"localhost:1", "127.0.0.1:1", true},
		    {"[::1]:80", "[::1]:80", true},
		    {"[::]", "[::]:9464", false},
		    {":0", "127.0.0.1:0", true},
		    {"8080", "127.0.0.1:8080", true},
		    {"0.0.0.0:9464", "0.0.0.0:9464", false}};
	static const char *const bad[] = {"",	     "1.2.3.4:", "1.2.3.4:x", "1.2.3.4:65536",
					  "host:1",  "::1",	 "[::1",      "[::1]x",
					  "1.2.3:1", "99999999", "1.2.3.4:-1"};
	struct http_address a;
	struct profile_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(http_address_parse(&a, good[i].text, &err), 0);
		assert_string_equal(a.text, good[i].means);
		assert_int_equal(a.loopback, good[i].loopback);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (http_address_parse(&a, bad[i], &err) == 0)
			fail_msg("'%s' was taken for %s", bad[i], a.text);
}

static uint64_t random_state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003). */
static uint64_t next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Exactly as long as the text, so that a sanitizer sees a byte too far. */
static char *mutated(const char *seed)
{
	static const char bytes[] = "%&=?/+.:;,[]\"' 0123456789abcdefq*\x01\xff";
	size_t length = strlen(seed);
	char *text = malloc(length + 1);

	assert_non_null(text);
	memcpy(text, seed, length + 1);
	for (uint64_t changes = next() % 6; changes && length; changes--) {
		size_t at = next() % length;

		if (next() % 8 == 0)
			text[at] = '\0';
		else
			text[at] = next() % 2 ? bytes[next() % (sizeof(bytes) - 1)]
					      : (char)(next() % 255 + 1);
		length = strlen(text);
	}
	return realloc(text, strlen(text) + 1);
}

static void check_request(const char *uri, const char *host)
{
	struct request r = request_of("GET", uri, host, next() % 2);

	assert_true(memchr(r.problem, 0, sizeof(r.problem)));
	assert_true(r.status == 200 || r.status == 400 || r.status == 403 || r.status == 404);
	assert_true((r.status == 200) == (*r.problem == '\0'));
	assert_true(r.seconds >= 0 && r.seconds <= 9999999999.0);
	if (r.status == 200)
		assert_true(r.seconds <= REQUEST_SECONDS_MOST && r.clock < SCP_CLOCK_DUAL &&
			    r.refresh <= 86400);
}

static void survives_any_bytes(void **state)
{
	static const char *const seeds[] = {
		"/debug/pprof/profile?seconds=2.5&service=a b c&clock=page",
		"/service?service=redis-server&clock=tsc&refresh=30",
		"/metrics",
		"/%2e%2e/?&&==&",
		"127.0.0.1:9464",
		"[::1]:9464",
		"localhost",
	};
	const size_t count = sizeof(seeds) / sizeof(*seeds);

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		char *uri = mutated(seeds[next() % count]), *host = mutated(seeds[next() % count]);
		struct http_address a;
		struct profile_error err;

		check_request(uri, host);
		http_address_parse(&a, host, &err);
		free(uri);
		free(host);
	}
}

/* A picture or a script of somebody else's page is refused; a link to ours is followed. */
static void hears_no_pages_of_other_sites(void **state)
{
	static const struct {
		const char *site, *dest;
		unsigned status;
	} cases[] = {{NULL, NULL, 200},
		     {"none", "document", 200},
		     {"same-origin", "empty", 200},
		     {"cross-site", "document", 200},
		     {"cross-site", "image", 403},
		     {"cross-site", "iframe", 403},
		     {"Cross-Site", "empty", 403},
		     {"cross-site", NULL, 403}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct request r = asked("/debug/pprof/profile?seconds=3600");

		request_check_site(&r, cases[i].site, cases[i].dest);
		assert_int_equal(r.status, cases[i].status);
	}
	struct request r = asked("/nothing");

	request_check_site(&r, "cross-site", NULL);
	assert_int_equal(r.status, 404); /* the first refusal stays */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_its_pages),
		cmocka_unit_test(reads_parameters),
		cmocka_unit_test(sorts_the_processes),
		cmocka_unit_test(refuses_what_it_does_not_understand),
		cmocka_unit_test(hears_only_get_and_head),
		cmocka_unit_test(hears_only_names_of_loopback),
		cmocka_unit_test(hears_no_pages_of_other_sites),
		cmocka_unit_test(reads_addresses),
		cmocka_unit_test(survives_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
