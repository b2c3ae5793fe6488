// SPDX-License-Identifier: GPL-3.0-or-later
/* Where profiles are saved, and where they lie while they are written. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "collector/doctor/doctor_private.h"
#include "collector/launch/run_directory.h"

#define MIB		    (UINT64_C(1) << 20)
#define SHARED_ENOUGH_BYTES (256 * MIB) /* run_directory.c asks for as much */

static void profile_directory(struct doctor *d)
{
	const char *set = getenv("SCPROF_OUT"), *directory = set && *set ? set : ".";
	struct statvfs fs;
	char real[PATH_MAX];

	if (!realpath(directory, real) || access(real, W_OK | X_OK) || statvfs(real, &fs)) {
		doctor_add(d, "profiles", DOCTOR_LIMITED,
			   "no profile can be written to %.300s (%s): %s", directory,
			   set && *set ? "SCPROF_OUT" : "the working directory", strerror(errno));
		doctor_remedy(d, "scprof run -o PATH, or set SCPROF_OUT to a directory that may be "
				 "written to");
		return;
	}
	uint64_t free_mib = (uint64_t)fs.f_bavail * fs.f_frsize / MIB;
	doctor_add(d, "profiles", free_mib < 16 ? DOCTOR_LIMITED : DOCTOR_OK,
		   "are written to %.300s, %llu MiB free", real, (unsigned long long)free_mib);
	if (free_mib < 16)
		doctor_remedy(
			d,
			"A profile begins with 1 MiB a process and grows with the number of call "
			"paths: make room, or choose another place with -o");
}

static void shared_memory(struct doctor *d)
{
	struct statfs fs;
	struct statvfs room;

	if (statfs("/dev/shm", &fs) || fs.f_type != TMPFS_MAGIC || statvfs("/dev/shm", &room) ||
	    access("/dev/shm", W_OK | X_OK)) {
		doctor_add(d, "tmpfs", DOCTOR_LIMITED,
			   "/dev/shm is not a tmpfs that may be written to: profiles lie on disk "
			   "while "
			   "the program runs, which now and then has to wait for its write-back");
		doctor_remedy(d, "mount -t tmpfs tmpfs /dev/shm (a container: --shm-size=512m)");
		return;
	}
	uint64_t bytes = (uint64_t)room.f_bavail * room.f_frsize;
	doctor_add(d, "tmpfs", bytes < SHARED_ENOUGH_BYTES ? DOCTOR_LIMITED : DOCTOR_OK,
		   "/dev/shm has %llu MiB free%s%s", (unsigned long long)(bytes / MIB),
		   bytes < SHARED_ENOUGH_BYTES
			   ? ", under 256: profiles lie on disk while the program runs"
			   : "",
		   room.f_flag & ST_NOEXEC ? "; noexec: stubs of -s go to another directory" : "");
	if (bytes < SHARED_ENOUGH_BYTES)
		doctor_remedy(d,
			      "mount -o remount,size=512m /dev/shm (a container: --shm-size=512m)");
}

/* A directory of this user's runs that no run holds locked. */
static bool is_left(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool left = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
		    !flock(fd, LOCK_EX | LOCK_NB);

	if (fd >= 0)
		close(fd);
	return left;
}

static void killed_runs(struct doctor *d)
{
	const char *set = getenv("SCPROF_OUT"), *first = NULL;
	char beside[PATH_MAX];
	size_t count = 0;
	glob_t found = {0};

	snprintf(beside, sizeof(beside), "%s/." RUN_DIRECTORY_NAME "*", set && *set ? set : ".");
	glob(RUN_DIRECTORY_MEMORY "/" RUN_DIRECTORY_NAME "*", 0, NULL, &found);
	glob(beside, GLOB_APPEND, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (is_left(found.gl_pathv[i])) {
			first = first ? first : found.gl_pathv[i];
			count++;
		}
	if (!count) {
		doctor_add(d, "leftovers", DOCTOR_OK, "no killed run has left files");
	} else {
		doctor_add(d, "leftovers", DOCTOR_NOTE,
			   "%zu killed run%s left files, such as %.200s", count,
			   count == 1 ? "" : "s", first);
		doctor_remedy(
			d, "scprof merge -o OUT.scp %.200s%s saves what it recorded; then rm -r it",
			first, geteuid() ? "" : "/" RUN_DIRECTORY_INNER "*");
	}
	globfree(&found);
}

void doctor_files(struct doctor *d)
{
	profile_directory(d);
	shared_memory(d);
	killed_runs(d);
}
