// SPDX-License-Identifier: GPL-3.0-or-later
/* Is there a library, does it belong to this tool, and does a program that is started with it
 * really leave a profile? The program of the trial is this one; if that is linked statically, one
 * that every system has. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/doctor/doctor_private.h"
#include "collector/launch/elf_facts.h"
#include "collector/launch/environment.h"
#include "collector/launch/program.h"
#include "profile/profile.h"

#define SECTION "scprof_version"
#define SECOND	"libscprof-unwind.so"

static void version_of(const char *path, char *version, size_t size)
{
	size_t bytes;
	char *text = elf_facts_copy_section(path, SECTION, &bytes);

	snprintf(version, size, "%s", text ? text : "");
	free(text);
}

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
		struct profile *p;

		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, e->d_name);
		p = profile_open(names, 1, &err);
		read += p != NULL;
		profile_free(p);
		unlink(path);
	}
	if (d)
		closedir(d);
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
	bool there;

	snprintf(path, sizeof(path), "%.*s" SECOND, slash ? (int)(slash + 1 - library) : 0,
		 library);
	there = !stat(path, &unused);
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

void doctor_library(struct doctor *d, const char *version)
{
	char path[PATH_MAX], trial[PATH_MAX], has[64];
	struct profile_error err;

	if (environment_find_library(path, sizeof(path), &err)) {
		doctor_add(d, "library", DOCTOR_MISSING, "%.*s", (int)strcspn(err.text, "\n"),
			   err.text);
		doctor_remedy(
			d,
			"Set SCPROF_LIB to its path, or install scprof as a whole (make install, "
			"or the Debian package)");
		return;
	}
	version_of(path, has, sizeof(has));
	if (strcmp(has, version)) {
		doctor_add(d, "library", DOCTOR_LIMITED, "%.300s is of version %s, scprof of %s",
			   path, *has ? has : "unknown", version);
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
