// SPDX-License-Identifier: GPL-3.0-or-later
/* It stays loaded. A tool that is linked statically has it inside: then its names are not null. */
#include "report/serve/http/http_private.h"

#include <dlfcn.h>
#include <stddef.h>

#define LIBRARY "libmicrohttpd.so.12"

struct mhd mhd;

#define WEAK(name) extern __typeof__(MHD_##name) MHD_##name __attribute__((weak));
MHD_FUNCTIONS(WEAK)
#undef WEAK

static int fail(struct profile_error *err)
{
	error_set(err, "cannot load %s: %.300s.\nscprof serve needs it: install libmicrohttpd 0.9",
		  LIBRARY, dlerror());
	return -1;
}

int mhd_load(struct profile_error *err)
{
#define INSIDE(name) mhd.name = MHD_##name;
	MHD_FUNCTIONS(INSIDE)
#undef INSIDE
	if (mhd.start_daemon)
		return 0;

	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return fail(err);
#define LOAD(name)                                                                                 \
	mhd.name = (__typeof__(MHD_##name) *)dlsym(library, "MHD_" #name);                         \
	if (!mhd.name)                                                                             \
		return fail(err);
	MHD_FUNCTIONS(LOAD)
#undef LOAD
	return 0;
}
