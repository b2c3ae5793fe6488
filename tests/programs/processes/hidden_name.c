// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: of a library that was opened later, and is on no call path, nothing is read when a child
 * begins to record: another thread of it might close it. Here its name cannot be read meanwhile.
 * Usage: hidden_name DIRECTORY */
#include "target.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	struct link_map *map = NULL;
	char path[512], *name;
	int pair[2], status;

	make_pair(pair);
	snprintf(path, sizeof(path), "%s/chosen_late_a.so", argc > 1 ? argv[1] : ".");
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	long (*late)(long) = handle ? (long (*)(long))dlsym(handle, "late_function") : NULL;
	if (!late || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
		die(dlerror());
	pid_t child = fork();
	if (child == 0) {
		name = map->l_name;
		map->l_name = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		exchange_times(pair, 10);
		map->l_name = name;
		say("%ld\n", late(3));
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		die("the child");
	expect_exchanges(10);
	expect_calls("late_function", 1);
	return 0;
}
