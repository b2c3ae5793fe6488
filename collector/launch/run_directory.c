// SPDX-License-Identifier: GPL-3.0-or-later
/* Where a run keeps its files; see the header for why. */
#include "collector/launch/run_directory.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MEMORY_DIRECTORY "/dev/shm"
#define ENOUGH_BYTES	 (UINT64_C(256) << 20)

static bool memory_has_room(void)
{
	struct statfs fs;
	struct statvfs room;

	return !statfs(MEMORY_DIRECTORY, &fs) && fs.f_type == TMPFS_MAGIC &&
	       !statvfs(MEMORY_DIRECTORY, &room) &&
	       (uint64_t)room.f_bavail * room.f_frsize >= ENOUGH_BYTES &&
	       !access(MEMORY_DIRECTORY, W_OK | X_OK);
}

static int make_base(struct rundir *d, const char *beside)
{
	if (memory_has_room()) {
		snprintf(d->base, sizeof(d->base), MEMORY_DIRECTORY "/scprof.XXXXXX");
		if (mkdtemp(d->base))
			return 0;
	}
	if ((size_t)snprintf(d->base, sizeof(d->base), "%s/.scprof.XXXXXX", beside) >=
	    sizeof(d->base)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return mkdtemp(d->base) ? 0 : -1;
}

/* Everybody may pass through the base, whose name everybody can see, but not list it; and
 * 128 random bits are not found by trying. chmod, because mkdir's mode is cut by the umask. */
static int open_to_all(struct rundir *d)
{
	uint64_t secret[2];

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return -1;
	snprintf(d->profiles, sizeof(d->profiles), "%s/profiles.%016" PRIx64 "%016" PRIx64, d->base,
		 secret[0], secret[1]);
	if (chmod(d->base, 0711) || mkdir(d->profiles, 0700))
		return -1;
	return chmod(d->profiles, 01777);
}

int rundir_create(struct rundir *d, const char *beside, struct profile_error *err)
{
	int failed = make_base(d, beside);

	if (!failed) {
		snprintf(d->page, sizeof(d->page), "%s/clock", d->base);
		snprintf(d->control, sizeof(d->control), "%s/control", d->base);
		snprintf(d->below, sizeof(d->below), "%s/below", d->base);
		if (geteuid()) {
			snprintf(d->profiles, sizeof(d->profiles), "%s", d->base);
			return 0;
		}
		failed = open_to_all(d);
		if (!failed)
			return 0;
	}
	snprintf(err->text, sizeof(err->text),
		 "cannot make a directory for the run's files in " MEMORY_DIRECTORY
		 " or %.250s: %s",
		 beside, strerror(errno));
	return -1;
}

void rundir_remove_file(const struct rundir *d, const char *name)
{
	char path[PATH_MAX + NAME_MAX];

	snprintf(path, sizeof(path), "%s/%s", d->profiles, name);
	unlink(path);
}

int rundir_remove(const struct rundir *d)
{
	if (strcmp(d->profiles, d->base) && rmdir(d->profiles))
		return -1;
	return rmdir(d->base);
}
