// SPDX-License-Identifier: GPL-3.0-or-later
/* A library (with -DPLUGIN) whose constructor waits for a thread that calls its function, and the
 * program that opens it. Usage: waiting LIBRARY */
#include <dlfcn.h>
#include <pthread.h>

#include "target.h"

#ifdef PLUGIN
long awaited(long x);

long awaited(long x)
{
	return x + 1;
}

static void *call(void *unused)
{
	say("%ld\n", awaited(41));
	return unused;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, call, NULL) || pthread_join(thread, NULL))
		die("thread");
}
#else
int main(int argc, char **argv)
{
	void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	long (*function)(long) = handle ? (long (*)(long))dlsym(handle, "awaited") : NULL;

	if (!function)
		die("dlopen");
	say("%ld\n", function ? function(6) : 0);
	expect_calls("awaited", 2);
	return 0;
}
#endif
