// SPDX-License-Identifier: GPL-3.0-or-later
/* A directory is opened once, and all else goes by its descriptor: where others may write, what
 * a name leads to can change at any time. */
#include "collector/launch/leftovers.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/launch/gather.h"
#include "collector/launch/run_directory.h"
#include "collector/launch/survivors.h"
#include "profile/live/run_files.h"

struct leftover {
	int parent, fd;
	const char *name;	    /* in the parent */
	struct run_directory by_fd; /* its paths lead through our descriptor */
	char profiles[PATH_MAX];    /* as its processes have it in SCPROF_OUT */
	char output[PATH_MAX];	    /* where its run would have saved; or "" */
};

static int is_inner(const struct dirent *entry)
{
	return !strncmp(entry->d_name, RUN_DIRECTORY_INNER, strlen(RUN_DIRECTORY_INNER));
}

static int is_other(const struct dirent *entry)
{
	static const char *const names[] = {
		"clock",	"control", "below", "libscprof.so", "scprof-symbols-*.so",
		".scprof.*.new"}; /* never got its name */

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!fnmatch(names[i], entry->d_name, 0))
			return 1;
	return 0;
}

static void free_entries(struct dirent **entry, int count)
{
	for (int i = 0; i < count; i++)
		free(entry[i]);
	if (count >= 0)
		free(entry);
}

/* The profiles of root's runs are one folder further down. */
static void find_profiles(struct leftover *l, const char *directory)
{
	struct dirent **entry;
	int found = scandirat(l->fd, ".", &entry, is_inner, NULL);
	const char *inner = found > 0 ? entry[0]->d_name : "";

	snprintf(l->by_fd.base, sizeof(l->by_fd.base), "/proc/self/fd/%d", l->fd);
	snprintf(l->by_fd.profiles, sizeof(l->by_fd.profiles), "/proc/self/fd/%d%s%.64s", l->fd,
		 *inner ? "/" : "", inner);
	snprintf(l->profiles, sizeof(l->profiles), "%.3800s/%.64s%s%.64s", directory, l->name,
		 *inner ? "/" : "", inner);
	l->by_fd.lock = -1;
	free_entries(entry, found);
}

/* True, and locked by us, if it is ours, as run_directory.c makes it, and no run holds its lock.
 * One that has no mark yet is not even tried: its run would find it locked, and fail. */
static bool take(struct leftover *l, int parent, const char *directory, const char *name)
{
	struct stat st, of_mark;

	*l = (struct leftover){.parent = parent, .name = name};
	l->fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (l->fd < 0)
		return false;
	if (!fstat(l->fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 022) &&
	    !fstatat(l->fd, RUN_DIRECTORY_MARK, &of_mark, AT_SYMLINK_NOFOLLOW) &&
	    !flock(l->fd, LOCK_EX | LOCK_NB)) {
		int mark = openat(l->fd, RUN_DIRECTORY_MARK,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		bool ours =
			mark >= 0 && run_directory_read_mark(mark, l->output, sizeof(l->output));

		if (mark >= 0)
			close(mark);
		if (ours) {
			find_profiles(l, directory);
			return true;
		}
	}
	close(l->fd);
	return false;
}

static bool has_processes(const struct leftover *l)
{
	struct run_file *files;
	size_t count;
	char part[NAME_MAX + 3];

	if (run_files_list(l->by_fd.profiles, &files, &count))
		return true; /* not known */
	bool found = false;
	for (size_t i = 0; i < count && !found; i++)
		found = run_files_is_live(&files[i]);
	found = found || survivors_may_come(l->profiles, files, count);
	run_files_free(files, count);
	snprintf(part, sizeof(part), "/%.200s/", l->name);
	char *mapped = survivors_mapped(part);
	found = found || !mapped || *mapped;
	free(mapped);
	return found;
}

/* Make NAME.killed.scp for the NAME.scp that the run wanted, in `directory` or, NULL, where it was.
 */
static int reserve(const char *output, const char *directory, char *path, size_t size)
{
	const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
	size_t length = strlen(name);
	int fd = -1;

	if (!directory && !slash)
		return -1;
	if (length > 4 && !strcmp(name + length - 4, ".scp"))
		length -= 4;
	for (int i = 0; fd < 0 && (!i || errno == EEXIST) && i < 1000; i++) {
		char number[16] = "";

		if (i)
			snprintf(number, sizeof(number), ".%d", i);
		int n = snprintf(path, size, "%.*s/%.*s.killed%s.scp",
				 (int)(directory ? strlen(directory) : (size_t)(slash - output)),
				 directory ? directory : output, (int)(length ? length : 6),
				 length ? name : "scprof", number);
		if (n < 0 || (size_t)n >= size)
			return -1;
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static bool save(const struct leftover *l, const char *directory, struct profile *p,
		 void (*tell)(const char *text))
{
	struct profile_error err;
	char path[PATH_MAX], text[PATH_MAX + 128];

	if (reserve(l->output, directory, path, sizeof(path)))
		return false;
	if (write_profile(p, path, &err)) {
		unlink(path);
		return false;
	}
	snprintf(text, sizeof(text),
		 "an earlier run was killed before it could save its profile: it is now in\n%s",
		 path);
	tell(text);
	return true;
}

static void tell_kept(const struct leftover *l, const char *what, void (*tell)(const char *text))
{
	char text[3 * PATH_MAX];

	snprintf(text, sizeof(text),
		 "an earlier run was killed, and %s: the files are kept in %s\n"
		 "scprof merge -o OUT %s/*.scp  makes one profile of those that can be read",
		 what, l->profiles, l->profiles);
	tell(text);
}

static void ignore(const char *text)
{
	(void)text;
}

/* All but profiles: what clean_up of `scprof run` would have removed. */
static void remove_others(const struct leftover *l)
{
	struct dirent **entry;
	int found = scandirat(l->fd, ".", &entry, is_other, NULL);

	for (int i = 0; i < found; i++)
		unlinkat(l->fd, entry[i]->d_name, 0);
	free_entries(entry, found);
}

static void clear(struct leftover *l, const char *beside, void (*tell)(const char *text))
{
	struct profile_error err;
	struct gathered g;
	bool saved = true;

	if (gather_profiles(&l->by_fd, NULL, &g, ignore, &err)) {
		gather_free(&g);
		return; /* out of memory: the next run tries again */
	}
	if (g.profile) {
		fold_model(g.profile, 64);
		saved = save(l, NULL, g.profile, tell) || save(l, beside, g.profile, tell);
	}
	if (!saved)
		tell_kept(l, "its profile can be saved nowhere", tell);
	else if (g.refusals)
		tell_kept(l, "not all of its profiles can be read", tell);
	remove_others(l);
	run_directory_remove_file(&l->by_fd, "causal"); /* beside the profiles */
	if (saved)
		gather_discard(&l->by_fd, &g);
	unlinkat(l->fd, RUN_DIRECTORY_MARK, 0);
	unlinkat(l->parent, l->name, AT_REMOVEDIR);
	gather_free(&g);
}

static void count(const struct leftover *l, struct leftovers *sum)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir = opendir(l->by_fd.profiles);

	sum->directories++;
	while (dir && (entry = readdir(dir)))
		if (!fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			sum->bytes += (uint64_t)st.st_blocks * 512;
	if (dir)
		closedir(dir);
}

/* `sum` NULL: sweep. */
static void look_into(const char *directory, const char *prefix, const char *beside,
		      struct leftovers *sum, void (*tell)(const char *text))
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	struct leftover l;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) ||
		    !take(&l, dirfd(dir), directory, entry->d_name))
			continue;
		if (!has_processes(&l)) {
			if (sum)
				count(&l, sum);
			else
				clear(&l, beside, tell);
		}
		close(l.fd);
	}
	if (dir)
		closedir(dir);
}

static void look(const char *beside, struct leftovers *sum, void (*tell)(const char *text))
{
	look_into(RUN_DIRECTORY_MEMORY, RUN_DIRECTORY_NAME, beside, sum, tell);
	look_into(beside, "." RUN_DIRECTORY_NAME, beside, sum, tell);
}

void leftovers_count(const char *beside, struct leftovers *l)
{
	*l = (struct leftovers){0};
	look(beside, l, NULL);
}

void leftovers_sweep(const char *beside, void (*tell)(const char *text))
{
	look(beside, NULL, tell);
}
