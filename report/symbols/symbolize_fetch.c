// SPDX-License-Identifier: GPL-3.0-or-later
/* debuginfod's client library, where it is installed and the user asked for it. Opened at run
 * time: it brings a whole HTTP client, which most reports have no use for. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/symbols/symbolize_module.h"

struct client;

/* elfutils' debuginfod.h. A find returns a descriptor, or a negative errno. */
typedef struct client *begin_function(void);
typedef void end_function(struct client *c);
typedef int find_function(struct client *c, const unsigned char *build_id, int bytes, char **path);

int symbolize_fetch(const uint8_t *build_id, uint32_t bytes)
{
	static const char *const kinds[] = {"debuginfod_find_debuginfo",
					    "debuginfod_find_executable"};
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct client *client = NULL;
	begin_function *begin;
	end_function *end;
	void *library;
	int fd = -1;

	if (!servers || !*servers || !bytes)
		return -1;
	library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return -1;
	begin = (begin_function *)dlsym(library, "debuginfod_begin");
	end = (end_function *)dlsym(library, "debuginfod_end");
	if (begin && end)
		client = begin();
	for (unsigned i = 0; client && fd < 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		find_function *find = (find_function *)dlsym(library, kinds[i]);

		fd = find ? find(client, build_id, (int)bytes, NULL) : -1;
	}
	if (client)
		end(client);
	return fd < 0 ? -1 : fd; /* the library stays open: its HTTP client does not unload well */
}
