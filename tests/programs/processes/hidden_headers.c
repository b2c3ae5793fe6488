// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: of a library that is on no call path nothing is read, when recording begins or ends: other
 * threads may close it at any time. Here its headers cannot be read. A line of standard input makes
 * it exchange ten more messages. */
#include "target.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

static void hide_headers_of(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW);
	Dl_info info;
	struct link_map *map;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !dladdr(map->l_ld, &info))
		die(library);
	if (mprotect(info.dli_fbase, 4096, PROT_NONE) != 0)
		die("mprotect");
}

int main(void)
{
	int pair[2];
	char line[16];

	make_pair(pair);
	hide_headers_of("libz.so.1");
	do {
		exchange_times(pair, 10);
		say("done\n");
	} while (fgets(line, sizeof(line), stdin));
	return 3;
}
