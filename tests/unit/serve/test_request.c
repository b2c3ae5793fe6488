// SPDX-License-Identifier: GPL-3.0-or-later
/* What requests are understood as, which are refused, and that no bytes at all do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/serve/http/http.h"
#include "report/serve/http/request.h"

static struct request asked(const char *uri)
{
	struct request r;

	request_parse(&r, "GET", uri, "localhost:9464", true);
	return r;
}

static void finds_its_pages(void **state)
{
	(void)state;
	assert_int_equal(asked("/").route, REQUEST_INDEX);
	assert_int_equal(asked("/metrics").route, REQUEST_METRICS);
	assert_int_equal(asked("/%6detrics").route, REQUEST_METRICS);
	assert_int_equal(asked("/healthz?").status, 200);
	assert_int_equal(asked("/nothing").status, 404);
	assert_int_equal(asked("/metrics/").status, 404);
	assert_int_equal(asked("//metrics").status, 404);
	assert_int_equal(asked("/metrics%00").status, 404);
	assert_int_equal(asked("http://elsewhere/").status, 400);
	assert_int_equal(asked("").status, 400);
}

static void reads_parameters(void **state)
{
	struct request r = asked("/debug/pprof/profile?seconds=2.5&service=a%20b+c&clock=page");

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
	assert_int_equal(asked("/?sort=pid%3Cb%3E").status, 400);
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
		"/debug/pprof/profile?seconds=%zz",
		"/debug/pprof/profile?seconds=1%",
		"/debug/pprof/profile?seconds=1%2",
		"/debug/pprof/profile?seconds=1%00",
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

static void refuses_what_is_long(void **state)
{
	char uri[4000] = "/debug/pprof/profile?service=";
	size_t head = strlen(uri);

	(void)state;
	memset(uri + head, 'a', 300);
	assert_int_equal(asked(uri).status, 400);
	memset(uri + head, 'a', sizeof(uri) - 1 - head);
	assert_int_equal(asked(uri).status, 414);
}

static void hears_only_get_and_head(void **state)
{
	static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "get", ""};
	struct request r;

	(void)state;
	request_parse(&r, "HEAD", "/metrics", NULL, true);
	assert_int_equal(r.status, 200);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		request_parse(&r, methods[i], "/metrics", NULL, true);
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
	request_parse(&r, "GET", "/", "evil.example", true);
	assert_int_equal(r.status, 403);
	request_parse(&r, "GET", "/", "host-7.example:9464", false);
	assert_int_equal(r.status, 200);
}

static unsigned headed(struct request_head head)
{
	struct request r = asked("/metrics");

	request_check_head(&r, &head);
	return r.status;
}

static void waits_for_no_body(void **state)
{
	(void)state;
	assert_int_equal(headed((struct request_head){.hosts = 1}), 200);
	assert_int_equal(headed((struct request_head){.hosts = 1, .length = "65536"}), 200);
	assert_int_equal(headed((struct request_head){.hosts = 1, .length = "65537"}), 413);
	assert_int_equal(headed((struct request_head){.hosts = 1, .length = "9999999999999"}), 413);
	assert_int_equal(headed((struct request_head){.hosts = 1, .length = "1x"}), 413);
	assert_int_equal(headed((struct request_head){.hosts = 1, .encoding = "chunked"}), 411);
}

static void hears_no_header_that_is_two(void **state)
{
	(void)state;
	assert_int_equal(headed((struct request_head){.hosts = 2}), 400);
	assert_int_equal(headed((struct request_head){.hosts = 1, .hidden = true}), 400);
}

static void negotiates(void **state)
{
	(void)state;
	/* what Prometheus 2.42 sends */
	assert_true(request_wants_openmetrics("application/openmetrics-text;version=1.0.0,"
					      "application/openmetrics-text;version=0.0.1;q=0.75,"
					      "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
	assert_true(request_wants_openmetrics("application/openmetrics-text"));
	assert_false(request_wants_openmetrics(NULL));
	assert_false(request_wants_openmetrics("*/*"));
	assert_false(request_wants_openmetrics("text/plain;version=0.0.4"));
	assert_false(request_wants_openmetrics("text/plain, application/openmetrics-text; q=0.5"));
	assert_false(request_wants_openmetrics("application/openmetrics-text;q=0"));
	assert_false(request_wants_openmetrics("application/openmetrics-text;version=9.0.0"));
	assert_false(request_wants_openmetrics("application/openmetrics-textual"));
	assert_false(request_wants_openmetrics(";;;,,,=;q=;q"));
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
	struct request r;

	request_parse(&r, "GET", uri, host, next() % 2);
	assert_true(memchr(r.service, 0, sizeof(r.service)) &&
		    memchr(r.problem, 0, sizeof(r.problem)));
	assert_true(r.status == 200 || r.status == 400 || r.status == 403 || r.status == 404 ||
		    r.status == 414);
	assert_true((r.status == 200) == (*r.problem == '\0'));
	assert_true(r.seconds >= 0 && r.seconds <= 9999999999.0);
	if (r.status == 200)
		assert_true(r.seconds <= REQUEST_SECONDS_MOST && r.clock < SCP_CLOCK_DUAL &&
			    r.refresh <= 86400);
}

static void survives_any_bytes(void **state)
{
	static const char *const seeds[] = {
		"/debug/pprof/profile?seconds=2.5&service=a%20b+c&clock=page",
		"/service?service=redis-server&clock=tsc&refresh=30",
		"/metrics",
		"/%2e%2e/?&&==&",
		"127.0.0.1:9464",
		"[::1]:9464",
		"localhost",
		"application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4",
	};
	const size_t count = sizeof(seeds) / sizeof(*seeds);

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		char *uri = mutated(seeds[next() % count]), *host = mutated(seeds[next() % count]);
		struct http_address a;
		struct profile_error err;

		check_request(uri, host);
		request_wants_openmetrics(host);
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
		cmocka_unit_test(refuses_what_is_long),
		cmocka_unit_test(hears_only_get_and_head),
		cmocka_unit_test(hears_only_names_of_loopback),
		cmocka_unit_test(hears_no_pages_of_other_sites),
		cmocka_unit_test(waits_for_no_body),
		cmocka_unit_test(hears_no_header_that_is_two),
		cmocka_unit_test(negotiates),
		cmocka_unit_test(reads_addresses),
		cmocka_unit_test(survives_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
