// SPDX-License-Identifier: GPL-3.0-or-later
/* A base directory with a lock; for root, a second one inside that nobody can list. */
#include "collector/launch/run_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "profile/base/error.h"
#include "profile/base/kernel_file.h"

#define ENOUGH_BYTES (UINT64_C(256) << 20)

static bool memory_has_room(void)
{
	struct statfs fs;

	return !statfs(RUN_DIRECTORY_MEMORY, &fs) && fs.f_type == TMPFS_MAGIC &&
	       (uint64_t)fs.f_bavail * (uint64_t)fs.f_frsize >= ENOUGH_BYTES &&
	       !access(RUN_DIRECTORY_MEMORY, W_OK | X_OK);
}

static int make_base(struct run_directory *d, const char *beside)
{
	if (memory_has_room()) {
		snprintf(d->base, sizeof(d->base),
			 RUN_DIRECTORY_MEMORY "/" RUN_DIRECTORY_NAME "XXXXXX");
		if (mkdtemp(d->base))
			return 0;
	}
	if ((size_t)snprintf(d->base, sizeof(d->base), "%s/." RUN_DIRECTORY_NAME "XXXXXX",
			     beside) >= sizeof(d->base)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return mkdtemp(d->base) ? 0 : -1;
}

/* Everybody may pass through the base, whose name everybody can see, but not list it; and
 * 128 random bits are not found by trying. chmod, because mkdir's mode is cut by the umask. */
static int open_to_all(struct run_directory *d)
{
	uint64_t secret[2];

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return -1;
	snprintf(d->profiles, sizeof(d->profiles),
		 "%s/" RUN_DIRECTORY_INNER "%016" PRIx64 "%016" PRIx64, d->base, secret[0],
		 secret[1]);
	if (chmod(d->base, 0711) || mkdir(d->profiles, 0700))
		return -1;
	return chmod(d->profiles, 01777);
}

/* The lock says that the run lives, and ends with it whatever ends it. */
static int claim(struct run_directory *d)
{
	return d->lock < 0 || flock(d->lock, LOCK_EX | LOCK_NB) ? -1 : 0;
}

void run_directory_now(uint64_t *real_ns, uint64_t *mono_ns)
{
	*real_ns = clocks_read_ns(CLOCK_REALTIME);
	*mono_ns = clocks_read_ns(CLOCK_MONOTONIC_RAW);
}

static void name_files(struct run_directory *d)
{
	run_directory_now(&d->begun_real_ns, &d->begun_mono_ns);
	snprintf(d->page, sizeof(d->page), "%s/clock", d->base);
	snprintf(d->control, sizeof(d->control), "%s/control", d->base);
	snprintf(d->causal, sizeof(d->causal), "%s/causal", d->profiles);
}

int run_directory_use(struct run_directory *d, int directory, const char *profiles,
		      struct profile_error *err)
{
	*d = (struct run_directory){.used = true};
	snprintf(d->base, sizeof(d->base), "/proc/self/fd/%d", directory);
	snprintf(d->profiles, sizeof(d->profiles), "%.64s/%s", d->base, profiles);
	name_files(d);
	/* opened anew: a lock belongs to what was opened */
	d->lock = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!claim(d))
		return 0;
	error_fail(err, d->base, "%s", strerror(errno));
	run_directory_release(d);
	return -1;
}

int run_directory_create(struct run_directory *d, const char *beside, struct profile_error *err)
{
	*d = (struct run_directory){.lock = -1};
	int failed = make_base(d, beside);

	if (!failed) {
		d->lock = open(d->base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		failed = claim(d);
	}
	if (!failed && geteuid())
		snprintf(d->profiles, sizeof(d->profiles), "%s", d->base);
	else if (!failed)
		failed = open_to_all(d);
	if (!failed) {
		name_files(d);
		return 0;
	}
	return error_set(err,
			 "cannot make a directory for the run's files in " RUN_DIRECTORY_MEMORY
			 " or %.250s: %s",
			 beside, strerror(errno));
}

int run_directory_give(const struct run_directory *d, uid_t uid, gid_t gid)
{
	if (!strcmp(d->profiles, d->base))
		return 0; /* ours, and private already */
	return chmod(d->profiles, 0700) || chown(d->profiles, uid, gid);
}

void run_directory_release(struct run_directory *d)
{
	kernel_file_close(&d->lock);
}

static void unlink_files(const struct run_directory *d, const char *pattern)
{
	DIR *profiles = opendir(d->profiles);

	for (struct dirent *e; profiles && (e = readdir(profiles));)
		if (!fnmatch(pattern, e->d_name, 0))
			unlinkat(dirfd(profiles), e->d_name, 0); /* no folder */
	kernel_file_leave(&profiles);
}

int run_directory_remove(struct run_directory *d)
{
	run_directory_release(d);
	unlink_files(d, PROF_SAMPLES_FILE);
	/* what processes that were killed had begun to make */
	unlink_files(d, ".scprof.*.new");
	if (strcmp(d->profiles, d->base) && rmdir(d->profiles))
		return -1;
	return d->used ? 0 : rmdir(d->base);
}

void run_directory_discard(struct run_directory *d)
{
	unlink_files(d, "*");
	run_directory_remove(d);
}
