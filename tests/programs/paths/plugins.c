// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: when a plugin is unloaded and another loaded, as likely as not at the
 * same address, each one's calls are its own. Usage: plugins A.so B.so */
#include "target.h"

#include <dlfcn.h>

typedef int entry_function(const int fd[2]);

static void call_plugin(const char *path, const char *entry, const int fd[2], int times)
{
	void *plugin = dlopen(path, RTLD_NOW);
	entry_function *call = plugin ? (entry_function *)dlsym(plugin, entry) : NULL;

	if (!call) {
		say("FAILED: %s\n", dlerror());
		exit(99);
	}
	for (int i = 0; i < times; i++)
		call(fd);
	if (dlclose(plugin))
		die("dlclose");
}

int main(int argc, char **argv)
{
	int pair[2];

	if (argc != 3)
		return 2;
	make_pair(pair);
	for (int i = 0; i < 100; i++) {
		call_plugin(argv[1], "plugin_a", pair, 10);
		call_plugin(argv[2], "plugin_b", pair, 20);
	}
	say("plugins came and went\n");
	expect_exchanges(3000);
	return 0;
}
