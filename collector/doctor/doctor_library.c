// SPDX-License-Identifier: GPL-3.0-or-later
/* Is there a library, does it belong to this tool, and does a program that is started with it
 * really leave a profile? The program of the trial is this one; if that is linked statically, one
 * that every system has. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "collector/doctor/doctor_private.h"
#include "collector/launch/elf_facts.h"
#include "collector/launch/environment.h"
#include "collector/launch/program.h"
#include "collector/launch/run_directory.h"
#include "include/scprof_version.h"
#include "profile/profile.h"
#include "profile/base/kernel_file.h"

#define SECTION "scprof_version"
#define SECOND	"libscprof-unwind.so"

/* Removes the directory's profiles. Returns how many of them could be read. */
static int take_profiles(const char *directory)
{
	DIR *d = opendir(directory);
	char path[PATH_MAX + 256];
	struct dirent *e;
	int read = 0;

	while (d && (e = readdir(d))) {
		const char *names[] = {path};
		struct profile_error err;

		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, e->d_name);
		struct profile *p = profile_open(names, 1, &err);
		read += p != NULL;
		profile_free(p);
		unlink(path);
	}
	kernel_file_leave(&d);
	return read;
}

/* A program that a loader loads; false: there is none. */
static bool find_trial(char path[PATH_MAX])
{
	static const char *const candidates[] = {"/proc/self/exe", "/bin/true", "/usr/bin/env"};
	static struct program p; /* paths: too large for the stack */

	for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++)
		if (realpath(candidates[i], path)) {
			program_examine(path, &p);
			if (p.kind == PROGRAM_DYNAMIC || p.kind == PROGRAM_ASAN)
				return true;
		}
	return false;
}

static void try_recording(struct doctor *d, const char *library, char *trial)
{
	char directory[PATH_MAX], text[512];
	char *const argv[] = {trial, (char *)"--version", NULL};

	if (doctor_directory(directory, sizeof(directory))) {
		doctor_add(d, "trial", DOCTOR_LIMITED,
			   "no trial was made: %s cannot be created: %s", directory,
			   strerror(errno));
		return;
	}
	int status = doctor_try(argv, library, directory, text, sizeof(text));
	int profiles = take_profiles(directory);
	rmdir(directory);
	if (profiles == 1 && !status) {
		doctor_add(d, "trial", DOCTOR_OK,
			   "a program started with the library ran and left a readable profile");
		return;
	}
	text[strcspn(text, "\n")] = '\0';
	doctor_add(d, "trial", DOCTOR_MISSING, "a program started with the library %s%s%.300s",
		   status ? "failed" : "left no profile", status && *text ? ": " : "",
		   status ? text : "");
	doctor_remedy(d, "Look for what keeps LD_PRELOAD from working here (a sandbox, a read-only "
			 "/tmp, a library of another glibc)");
}

/* What `run --verify-paths` needs: the object beside the library, and libunwind. */
static void check_second(struct doctor *d, const char *library, char *trial)
{
	const char *slash = strrchr(library, '/');
	char path[PATH_MAX + 32], text[512];
	char *const argv[] = {trial, (char *)"--version", NULL};
	struct stat unused;

	snprintf(path, sizeof(path), "%.*s" SECOND, slash ? (int)(slash + 1 - library) : 0,
		 library);
	bool there = !stat(path, &unused);
	if (there && !doctor_try(argv, path, NULL, text, sizeof(text)) &&
	    !strstr(text, "cannot be preloaded")) {
		doctor_add(d, "libunwind", DOCTOR_OK,
			   "found: run --verify-paths can walk call paths twice");
		return;
	}
	text[strcspn(text, "\n")] = '\0';
	doctor_add(d, "libunwind", DOCTOR_NOTE, "run --verify-paths verifies nothing: %.300s",
		   there ? text : "scprof was built without libunwind");
	doctor_remedy(d, "apt-get install libunwind8 (Fedora: libunwind); to build with it, "
			 "libunwind-dev (libunwind-devel)");
}

void doctor_library(struct doctor *d)
{
	char path[PATH_MAX], trial[PATH_MAX], has[64], *text;
	size_t bytes;
	struct profile_error err;

	if (environment_find_library(path, sizeof(path), &err)) {
		doctor_add(d, "library", DOCTOR_MISSING, "%.*s", (int)strcspn(err.text, "\n"),
			   err.text);
		doctor_remedy(d, "Set SCPROF_LIB to its path, or install scprof as a whole (make "
				 "install, or the Debian package)");
		return;
	}
	text = elf_facts_copy_section(path, SECTION, &bytes);
	snprintf(has, sizeof(has), "%s", text ? text : "");
	free(text);
	if (strcmp(has, SCPROF_VERSION)) {
		doctor_add(d, "library", DOCTOR_LIMITED, "%.300s is of version %s, scprof of %s",
			   path, *has ? has : "unknown", SCPROF_VERSION);
		doctor_remedy(d, "Install both from one build, or set SCPROF_LIB to the right one");
	} else {
		doctor_add(d, "library", DOCTOR_OK, "%.300s, version %s", path, has);
	}
	if (!find_trial(trial)) {
		doctor_add(d, "trial", DOCTOR_NOTE,
			   "no trial was made: no program here is linked dynamically");
		return;
	}
	try_recording(d, path, trial);
	check_second(d, path, trial);
}

/* Where profiles are saved, and where they lie while they are written. */

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
		doctor_remedy(d, "A profile begins with 1 MiB a process and grows with the number "
				 "of call paths: make room, or choose another place with -o");
}

static void shared_memory(struct doctor *d)
{
	struct statfs fs;

	if (statfs("/dev/shm", &fs) || fs.f_type != TMPFS_MAGIC ||
	    access("/dev/shm", W_OK | X_OK)) {
		doctor_add(d, "tmpfs", DOCTOR_LIMITED,
			   "/dev/shm is not a tmpfs that may be written to: profiles lie on disk "
			   "while the program runs, which now and then has to wait for its "
			   "write-back");
		doctor_remedy(d, "mount -t tmpfs tmpfs /dev/shm (a container: --shm-size=512m)");
		return;
	}
	uint64_t bytes = (uint64_t)fs.f_bavail * (uint64_t)fs.f_frsize;
	doctor_add(d, "tmpfs", bytes < SHARED_ENOUGH_BYTES ? DOCTOR_LIMITED : DOCTOR_OK,
		   "/dev/shm has %llu MiB free%s%s", (unsigned long long)(bytes / MIB),
		   bytes < SHARED_ENOUGH_BYTES
			   ? ", under 256: profiles lie on disk while the program runs"
			   : "",
		   fs.f_flags & ST_NOEXEC ? "; noexec: stubs of -s go to another directory" : "");
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

	kernel_file_close(&fd);
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
