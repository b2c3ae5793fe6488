// SPDX-License-Identifier: GPL-3.0-or-later
/* Opens plugins with RTLD_LOCAL, each with a library of its own that has a function of the
 * same name: each plugin must reach its own one. Usage: chosen_late DIRECTORY */
#include <dlfcn.h>

#include "target.h"

static long call(const char *directory, const char *plugin, int mode, long x)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", directory, plugin);
	void *handle = dlopen(path, RTLD_NOW | mode);
	if (!handle)
		die(dlerror());
	long (*entry)(long) = (long (*)(long))dlsym(handle, "plugin_entry");
	if (!entry)
		die(dlerror());
	long sum = 0;
	for (int i = 0; entry && i < 10; i++)
		sum += entry(x + i);
	dlclose(handle);
	return sum;
}

/* By its handle, without a caller's scope to look in. */
static long call_found(const char *directory, const char *library, long x)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", directory, library);
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	long (*late)(long) = handle ? (long (*)(long))dlsym(handle, "late_function") : NULL;
	if (!late)
		die(dlerror());
	return late ? late(x) : 0;
}

int main(int argc, char **argv)
{
	const char *directory = argc > 1 ? argv[1] : ".";

	for (int round = 0; round < 3; round++) {
		say("%ld\n", call(directory, "chosen_plugin_a.so", RTLD_LOCAL, round));
		say("%ld\n", call(directory, "chosen_plugin_b.so", RTLD_LOCAL, round));
	}
	say("%ld\n", call_found(directory, "chosen_late_a.so", 7));
	say("%ld\n", call_found(directory, "chosen_late_b.so", 7));
	expect_calls("late_function", 62);
	say("%s\n", dlerror() ? "an error is left" : "no error");
	return 0;
}
