// SPDX-License-Identifier: GPL-3.0-or-later
/* A server that cannot start leaves nothing: no descriptor and no memory. What is allocated in
 * http_start goes through the test, and so does libmicrohttpd. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>

#include <cmocka.h>

#include "report/serve/http/http.h"
#include "report/serve/http/http_private.h"

static bool loads;

static struct MHD_Daemon *no_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accepts,
				    void *a, MHD_AccessHandlerCallback handles, void *b, ...)
{
	(void)flags, (void)port, (void)accepts, (void)a, (void)handles, (void)b;
	errno = EAGAIN;
	return NULL;
}

void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
	static char library;

	assert_string_equal(name, "libmicrohttpd.so.12");
	(void)flags;
	return loads ? &library : NULL;
}

char *__wrap_dlerror(void);
char *__wrap_dlerror(void)
{
	return "it is not here";
}

/* All functions are this one: only MHD_start_daemon is called. */
void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name)
{
	(void)library;
	assert_int_equal(strncmp(name, "MHD_", 4), 0);
	return (void *)no_daemon;
}

static unsigned live;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
	live++;
	return __real_calloc(count, bytes);
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
	live -= memory != NULL;
	__real_free(memory);
}

static unsigned descriptors(void)
{
	DIR *all = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(all);
	while (readdir(all))
		count++;
	closedir(all);
	return count;
}

static void starts_in_vain(const char *address, const char *why)
{
	const struct agent_options o = {.most_services = 1, .most_functions = 1, .most_files = 1};
	struct http_address a;
	struct profile_error err;
	struct agent agent;
	unsigned fds = descriptors(), allocated;

	assert_int_equal(agent_open(&agent, &o), 0);
	assert_int_equal(http_address_parse(&a, address, &err), 0);
	allocated = live;
	assert_null(http_start(&agent, &a, &err));
	assert_non_null(strstr(err.text, why));
	assert_int_equal(live, allocated);
	assert_int_equal(descriptors(), fds);
	agent_close(&agent);
}

static void leaves_nothing_without_libmicrohttpd(void **state)
{
	(void)state;
	loads = false;
	starts_in_vain("127.0.0.1:0", "it is not here");
}

static void leaves_nothing_without_an_address(void **state)
{
	(void)state;
	loads = true;
	starts_in_vain("192.0.2.1:0", "does not have that address");
}

static void leaves_nothing_without_a_daemon(void **state)
{
	(void)state;
	loads = true;
	starts_in_vain("127.0.0.1:0", "cannot start the server");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_nothing_without_libmicrohttpd),
		cmocka_unit_test(leaves_nothing_without_an_address),
		cmocka_unit_test(leaves_nothing_without_a_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
