// SPDX-License-Identifier: Apache-2.0
/* By the kernel's list of mappings: the loader's own needs its lock, which another thread may hold
 * for ever at a process's end. */
#include <fcntl.h>

#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/system/sys.h"

static const char *const names[] = {"libssl.so", "libgnutls.so", "libz.so", "libsqlite3.so",
				    "libpq.so"};

static bool is_known(const char *path)
{
	const char *name = text_basename(path);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = text_length(names[i]), at = 0;
		while (at < n && name[at] == names[i][at])
			at++;
		if (at == n)
			return true;
	}
	return false;
}

static uint64_t hexadecimal(const char *text)
{
	uint64_t v = 0;
	for (;; text++) {
		if (*text >= '0' && *text <= '9')
			v = v << 4 | (uint64_t)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			v = v << 4 | (uint64_t)(*text - 'a' + 10);
		else
			return v;
	}
}

/* "START-END r-xp OFFSET DEVICE INODE   PATH" */
static void take_line(const char *line)
{
	const char *at = line;
	while (*at && *at != ' ')
		at++;
	if (!*at || at[1] == 0 || at[2] == 0 || at[3] != 'x')
		return;
	while (*at && *at != '/')
		at++;
	if (*at && is_known(at))
		modules_frame(hexadecimal(line), true);
}

COLD void libraries_note(void)
{
	static char line[1024];	 /* longer ones are cut: no library of a system has such a path */
	static char block[4096]; /* the kernel gives a page at most; a process may have many */
	static uint32_t busy;
	uint32_t idle = 0;
	size_t at = 0;
	long n, fd;
	/* The file of a child that the kernel alone forked is its parent's. */
	if (sys_sandboxed || !process_epoch.now.generation ||
	    !__atomic_compare_exchange_n(&busy, &idle, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	while (fd >= 0 && (n = sys_read((int)fd, block, sizeof block)) > 0)
		for (long i = 0; i < n; i++) {
			if (block[i] != '\n' && at + 1 < sizeof line) {
				line[at++] = block[i];
			} else if (block[i] == '\n') {
				line[at] = 0;
				at = 0;
				take_line(line);
			}
		}
	if (fd >= 0)
		sys_close((int)fd);
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}
