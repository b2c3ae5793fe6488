// SPDX-License-Identifier: GPL-3.0-or-later
/* Only ld.so itself knows what ld.so would load. */
#include "collector/select/library_closure.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/launch/elf_facts.h"
#include "profile/base/kernel_file.h"
#include "profile/base/proc_maps.h"
#include "profile/base/error.h"
#include "profile/base/given_file.h"
#include "profile/base/words.h"

#define MAPPED_MOST 4096 /* a process chooses how many, and their names */

static bool is_known(const struct names *c, const char *path)
{
	for (size_t i = c->count; i > 0; i--)
		if (!strcmp(c->name[i - 1], path))
			return true;
	return false;
}

/* "\tlibz.so.1 => /lib/libz.so.1 (0x...)", or "\t/lib/preloaded.so (0x...)"; the vDSO
 * has no path. What is not found stops the program itself, not us. */
static int read_lines(int fd, struct names *out)
{
	char line[PATH_MAX + 256];
	FILE *f = fdopen(fd, "r");
	int failed = f ? 0 : -1;

	while (!failed && fgets(line, sizeof(line), f)) {
		char *arrow = strstr(line, " => ");
		char *path = arrow ? arrow + 4 : line + strspn(line, "\t ");
		char *end = strstr(path, " (0x");

		if (*path != '/' || !end)
			continue;
		*end = '\0';
		if (!elf_facts_is_loader(path) && !is_known(out, path))
			failed = exports_add_name(out, path);
	}
	if (f)
		fclose(f);
	else
		close(fd);
	return failed;
}

static int ask(const char *loader, const char *program, struct names *out)
{
	int pipe_fd[2], status = -1;

	if (pipe2(pipe_fd, O_CLOEXEC))
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(pipe_fd[1], 1);
		dup2(null, 2);
		execl(loader, loader, "--list", program, (char *)NULL);
		_exit(127);
	}
	close(pipe_fd[1]);
	int failed = read_lines(pipe_fd[0], out);
	if (pid > 0)
		TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
	return failed || pid < 0 || status ? -1 : 0;
}

int library_closure_find(const char *program, struct names *out, struct profile_error *err)
{
	char real[PATH_MAX]; /* $ORIGIN is where the file is, not where a link to it is */
	struct elf_facts facts;
	int fd = given_file_open(program, 0, NULL, NULL);
	bool is_elf = fd >= 0 && !elf_facts_read(fd, &facts);

	*out = (struct names){0};
	kernel_file_close(&fd);
	if (!is_elf || !*facts.interpreter)
		return error_set(
			err,
			"%.300s is linked statically, or no program: nothing in it is bound by\n"
			"the dynamic linker, so it has no symbols to choose",
			program);
	if (!elf_facts_loader_is_trusted(facts.interpreter))
		return error_set(
			err,
			"%.200s names %.100s as its loader, which is not there, or somebody\n"
			"else can write it: it is not run to ask which libraries the program needs",
			program, facts.interpreter);
	if (!ask(facts.interpreter, realpath(program, real) ? real : program, out) && out->count)
		return 0;
	error_set(err, "%.100s --list %.300s fails: cannot tell which libraries the program needs",
		  facts.interpreter, program);
	exports_free_names(out);
	return -1;
}

/* Found already, perhaps by another name? */
static bool is_among(const struct names *c, const struct stat *st)
{
	struct stat other;

	for (size_t i = 0; i < c->count; i++)
		if (!stat(c->name[i], &other) && other.st_dev == st->st_dev &&
		    other.st_ino == st->st_ino)
			return true;
	return false;
}

static int search_glob(const char *pattern, struct names *out)
{
	glob_t found;
	struct stat st;
	int failed = 0;

	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (size_t i = 0; !failed && i < found.gl_pathc; i++)
		if (!stat(found.gl_pathv[i], &st) && S_ISREG(st.st_mode) && !is_among(out, &st))
			failed = exports_add_name(out, found.gl_pathv[i]);
	globfree(&found);
	return failed;
}

static int search_in(const char *directory, const char *pattern, struct names *out)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory, pattern);
	int failed = search_glob(path, out);
	if (strstr(pattern, ".so"))
		return failed;
	/* "libz" stands for libz.so and all that begin with libz.so. */
	snprintf(path, sizeof(path), "%s/%s.so*", directory, pattern);
	return failed ? failed : search_glob(path, out);
}

int library_closure_search(const char *pattern, const struct names *known, struct names *out)
{
	static const char system[] = "/usr/local/lib:/lib64:/usr/lib64:/lib:/usr/lib";
	const char *lists[] = {getenv("LD_LIBRARY_PATH") ?: "", system};
	char directory[PATH_MAX];
	int failed = 0;

	*out = (struct names){0};
	if (strchr(pattern, '/'))
		return search_glob(pattern, out);
	for (size_t i = 0; i < known->count && !failed; i++) {
		snprintf(directory, sizeof(directory), "%s", known->name[i]);
		*strrchr(directory, '/') = '\0';
		failed = *directory ? search_in(directory, pattern, out) : 0;
	}
	for (size_t l = 0; l < 2; l++)
		while (!failed && words_next(&lists[l], ":", directory, sizeof(directory)))
			failed = search_in(directory, pattern, out);
	return failed;
}

int library_closure_read_maps(pid_t pid, FILE *maps, const char *program, struct names *out)
{
	char path[PATH_MAX + 32];
	struct proc_mapping m;
	int failed = 0;

	*out = (struct names){0};
	while (!failed && out->count < MAPPED_MOST && proc_maps_next(maps, &m)) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid,
			 proc_maps_own_path(pid, m.path));
		if (m.executable && !m.deleted && *m.path == '/' && strcmp(m.path, program) != 0 &&
		    !elf_facts_is_loader(m.path) && fnmatch("libscprof*", basename(m.path), 0) &&
		    fnmatch("scprof-symbols*", basename(m.path), 0) && !is_known(out, path))
			failed = exports_add_name(out, path);
	}
	return failed;
}

int library_closure_find_mapped(pid_t pid, struct names *out, struct profile_error *err)
{
	char exe[PATH_MAX];

	kernel_file_link(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	FILE *maps = proc_maps_open(pid);
	*out = (struct names){0};
	int failed = maps ? library_closure_read_maps(pid, maps, exe, out) : -1;
	if (!maps && (errno == ENOENT || errno == ESRCH))
		error_set(err, "process %d has ended", (int)pid);
	else if (failed)
		error_set(err, "cannot tell which libraries process %d has mapped: %s", (int)pid,
			  maps ? "out of memory" : strerror(errno));
	if (maps)
		fclose(maps);
	return failed;
}

/* What ld.so does, without its cache and LD_LIBRARY_PATH: those are of this machine. */

/* The first shared object that matches and is of the machine. */
static bool find_glob(const char *pattern, uint16_t machine, char *path)
{
	struct exports file;
	glob_t found;
	bool is_found = false;

	if (glob(pattern, 0, NULL, &found))
		return false;
	for (size_t i = 0; i < found.gl_pathc && !is_found; i++) {
		is_found = !exports_read(found.gl_pathv[i], &file) && file.machine == machine &&
			   file.type == ET_DYN && realpath(found.gl_pathv[i], path);
		exports_free(&file);
	}
	globfree(&found);
	return is_found;
}

/* In a list of directories, as DT_RUNPATH has it. */
static bool find_in_list(const struct exports *o, const char *root, const char *list,
			 const char *name, char *path)
{
	const char *slash = strrchr(o->path, '/');

	for (const char *at = list; at && *at; at += strspn(at, ":")) {
		char pattern[3 * PATH_MAX];
		int length = (int)strcspn(at, ":");
		bool origin = !strncmp(at, "$ORIGIN", 7) && length >= 7;

		if (origin)
			snprintf(pattern, sizeof(pattern), "%.*s%.*s/%s",
				 slash ? (int)(slash - o->path) : 1, slash ? o->path : ".",
				 length - 7, at + 7, name);
		else
			snprintf(pattern, sizeof(pattern), "%s/%.*s/%s", root, length, at, name);
		if (find_glob(pattern, o->machine, path))
			return true;
		snprintf(pattern, sizeof(pattern), "%.*s/%s", length, at, name);
		if (!origin && find_glob(pattern, o->machine, path))
			return true;
		at += length;
	}
	return false;
}

static bool find_below_root(const struct exports *o, const char *root, const char *name, char *path)
{
	static const char *const folders[] = {
		"lib",	 "usr/lib",   "lib/*-linux-gnu", "usr/lib/*-linux-gnu",
		"lib64", "usr/lib64", "usr/local/lib"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char pattern[2 * PATH_MAX];

		snprintf(pattern, sizeof(pattern), "%s/%s/%s", root, folders[i], name);
		if (find_glob(pattern, o->machine, path))
			return true;
	}
	return false;
}

static int follow(const struct exports *o, const char *root, struct names *out,
		  struct profile_error *err)
{
	char path[PATH_MAX];
	int failed = 0;

	for (size_t i = 0; !failed && i < o->needed.count; i++) {
		const char *name = o->needed.name[i];

		if (elf_facts_is_loader(name))
			continue;
		if (find_in_list(o, root, o->rpath, name, path) ||
		    find_in_list(o, root, o->runpath, name, path) ||
		    find_below_root(o, root, name, path)) {
			if (!is_known(out, path) && exports_add_name(out, path))
				failed = error_set(err, "out of memory");
			continue;
		}
		failed = error_set(
			err,
			"%.200s needs %.100s, which is not found for its processor below\n"
			"%.200s: name the folder that has its lib and usr/lib",
			o->path, name, root);
	}
	return failed;
}

int library_closure_find_needed(const char *program, const char *root, struct names *out,
				struct profile_error *err)
{
	const char *path = program;
	int failed = 0;

	*out = (struct names){0};
	for (size_t i = 0; !failed && path; i++) {
		struct exports object;

		failed = exports_read(path, &object)
				 ? error_set(err, "%.300s cannot be read as ELF", path)
				 : follow(&object, root, out, err);
		exports_free(&object);
		path = i < out->count ? out->name[i] : NULL;
	}
	return failed;
}
