// SPDX-License-Identifier: GPL-3.0-or-later
/* debuginfod's client library, where it is installed and the user asked for it. Opened at run
 * time: it loads an HTTP client, which most reports do not need. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/symbols/symbolize_debug.h"

struct client;

/* elfutils' debuginfod.h. A find returns a descriptor, or a negative errno. */
typedef struct client *begin_function(void);
typedef void end_function(struct client *c);
typedef int find_function(struct client *c, const unsigned char *build_id, int bytes, char **path);

/* -1, or an open descriptor. */
static int ask(const uint8_t *build_id, uint32_t bytes, bool debug_only)
{
	static const char *const kinds[] = {"debuginfod_find_debuginfo",
					    "debuginfod_find_executable"};
	struct client *client = NULL;
	begin_function *begin;
	end_function *end;
	void *library;
	int fd = -1;

	library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return -1;
	begin = (begin_function *)dlsym(library, "debuginfod_begin");
	end = (end_function *)dlsym(library, "debuginfod_end");
	if (begin && end)
		client = begin();
	for (unsigned i = 0; client && fd < 0 && i < (debug_only ? 1 : 2); i++) {
		find_function *find = (find_function *)dlsym(library, kinds[i]);

		fd = find ? find(client, build_id, (int)bytes, NULL) : -1;
	}
	if (client)
		end(client);
	return fd < 0 ? -1 : fd; /* the library stays open: its HTTP client does not unload well */
}

int symbolize_fetch(struct symbolize_files *f, const uint8_t *build_id, uint32_t bytes,
		    bool debug_only, struct stat *st)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	int fd = -1;

	if (servers && *servers && bytes && symbolize_open_spend(f, SYMBOLIZE_QUESTION))
		fd = ask(build_id, bytes, debug_only);
	if (fd >= 0 && (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}
