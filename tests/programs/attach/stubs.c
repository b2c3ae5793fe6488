// SPDX-License-Identifier: GPL-3.0-or-later
/* Usage: stubs LIBRARY DIRECTORY MANY FEW: opens libscprof.so, and records with the stub object
 * MANY, which has ten_integers; FEW, which has factorial; none; and MANY again. The address that
 * dlsym gave in the first session is called in all of them, and between them. Prints the profile of
 * each session. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/programs/attach/order.h"
#include "tests/programs/selected/chosen_lib.h"

typedef long ten(long, long, long, long, long, long, long, long, long, long);

static int (*begin)(const struct scp_attach_order *);
static int (*end)(uint32_t);
static const struct scp_attach_state *state;

static void fail(const char *what)
{
	fprintf(stderr, "stubs: %s\n", what);
	exit(1);
}

static void give_order(const char *directory, const char *stubs)
{
	static union order o;

	order_begin(&o);
	order_add(&o, "SCPROF_GROUPS=", "io");
	order_add(&o, "SCPROF_OUT=", directory);
	if (stubs)
		order_add(&o, "SCPROF_STUBS=", stubs);
	if (begin(&o.given) != SCP_ATTACH_FINE)
		fail("not begun");
}

static __attribute__((noinline)) void call(ten *function)
{
	for (long i = 0; i < 10; i++)
		if (function(i, 1, 2, 3, 4, 5, 6, 7, 8, 9) !=
		    ten_integers(i, 1, 2, 3, 4, 5, 6, 7, 8, 9))
			fail("a call has another result");
}

int main(int argc, char **argv)
{
	void *library = argc == 5 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	const char *const stubs[] = {argv[3], argv[4], NULL, argv[3]};
	ten *before, *kept = NULL;

	if (!library)
		fail("usage: stubs LIBRARY DIRECTORY MANY FEW");
	begin = dlsym(library, "scprof_attach_begin_1");
	end = dlsym(library, "scprof_attach_end_1");
	state = dlsym(library, "scprof_attach_state_1");
	void *chosen = dlopen("chosen_lib.so", RTLD_NOW | RTLD_NOLOAD);
	before = chosen ? dlsym(chosen, "ten_integers") : NULL;
	for (unsigned i = 0; i < 4; i++) {
		give_order(argv[2], stubs[i]);
		if (!kept)
			kept = dlsym(chosen, "ten_integers");
		call(kept);
		for (long n = 0; n < 10; n++)
			if (factorial(1) != 1)
				fail("a factorial is another");
		if (end(0) != SCP_ATTACH_FINE)
			fail("not ended");
		puts(state->profile);
		call(kept);
	}
	if (kept == before)
		fail("dlsym gave no stub");
	return 0;
}
