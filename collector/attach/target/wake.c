// SPDX-License-Identifier: GPL-3.0-or-later
/* Paths come from a process that may be another user's, and files may change while they are looked
 * at: what is opened is asked about by its descriptor, and waits for nothing. */
#include "collector/attach/target/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/attach/target/as_user.h"
#include "profile/base/proc_maps.h"
#include "profile/base/kernel_file.h"
#include "include/scprof_attach.h"
#include "profile/base/error.h"

#define WORD_AT	   offsetof(struct scp_wake_page, word)
#define HEAD_BYTES offsetof(struct scp_wake_page, text)

bool wake_find(pid_t pid, char *path, size_t room)
{
	struct proc_mapping m;
	bool found = false;
	FILE *maps = proc_maps_open(pid);

	if (!maps)
		return false;
	while (!found && proc_maps_next(maps, &m)) {
		if (m.deleted || *m.path != '/' || fnmatch("scprof.*.wake", basename(m.path), 0))
			continue;
		int n = snprintf(path, room, "/proc/%d/root%s", (int)pid,
				 proc_maps_own_path(pid, m.path));
		found = n > 0 && (size_t)n < room;
	}
	fclose(maps);
	return found;
}

/* "/proc/PID/root/...": the process, and the rest from the slash on; else 0. */
static pid_t root_of(const char *path, const char **rest)
{
	char *end;

	if (strncmp(path, "/proc/", 6))
		return 0;
	errno = 0;
	long pid = strtol(path + 6, &end, 10);
	if (errno || pid <= 0 || pid > INT_MAX || strncmp(end, "/root/", 6))
		return 0;
	*rest = end + 5;
	return (pid_t)pid;
}

/* One of the user ids of the process, as our user namespace sees them? */
static bool is_user_of(pid_t pid, uid_t uid)
{
	uint64_t id[4];
	int ids = proc_status_numbers(pid, "Uid", 10, id, 4);

	for (int i = 0; i < ids; i++)
		if (id[i] == uid)
			return true;
	return false;
}

/* Whoever may write into it owns it, so nobody is led to write where another could not. */
static int check(struct wake *w, struct profile_error *err)
{
	struct scp_wake_page head;
	struct stat st;

	if (fstat(w->fd, &st))
		return error_fail(err, w->path, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size != SCP_WAKE_BYTES || st.st_nlink != 1)
		return error_fail(err, w->path, "is not a page that wakes a process");
	if (st.st_uid != geteuid() &&
	    (geteuid() || (w->pid && st.st_uid && !is_user_of(w->pid, st.st_uid))))
		return error_fail(err, w->path, "belongs to another user, %u", (unsigned)st.st_uid);
	if (pread(w->fd, &head, 16, 0) != 16 ||
	    memcmp(head.magic, SCP_WAKE_MAGIC, sizeof(head.magic)) || head.bytes != SCP_WAKE_BYTES)
		return error_fail(err, w->path,
				  "is not a page that wakes a process, of this version");
	if (pread(w->fd, &w->word, sizeof(w->word), WORD_AT) != sizeof(w->word))
		return error_fail(err, w->path, "somebody has cut it");
	return 0;
}

int wake_open(struct wake *w, const char *path, struct profile_error *err)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	const char *inside = NULL;

	memset(w, 0, sizeof(*w));
	w->fd = -1;
	if (snprintf(w->path, sizeof(w->path), "%s", path) >= (int)sizeof(w->path))
		return error_fail(err, path, "%s", strerror(ENAMETOOLONG));
	w->pid = root_of(path, &inside);
	w->fd = w->pid ? as_user_open_inside(w->pid, inside, flags) : open(path, flags | O_CLOEXEC);
	if (w->fd < 0)
		return error_fail(err, path, "cannot open the page that wakes the process: %s%s",
				  strerror(errno),
				  w->pid && (errno == EACCES || errno == EPERM)
					  ? " (only its user may, with no fewer capabilities)"
					  : "");
	if (!check(w, err))
		return 0;
	wake_close(w);
	return -1;
}

void wake_close(struct wake *w)
{
	kernel_file_close(&w->fd); /* and with it the lock */
}

static bool put(const struct wake *w, const void *from, size_t bytes, size_t at)
{
	ssize_t n = pwrite(w->fd, from, bytes, (off_t)at);

	if (n >= 0 && (size_t)n != bytes)
		errno = EIO;
	return n == (ssize_t)bytes;
}

/* The word comes last, and is greater than any before it. The processes' own words are left. */
static int order(struct wake *w, const struct scp_wake_page *page, struct profile_error *err)
{
	const size_t from = offsetof(struct scp_wake_page, count);
	uint64_t word = 0;

	if (pread(w->fd, &word, sizeof(word), WORD_AT) != sizeof(word))
		return error_fail(err, w->path, "somebody has cut it");
	if (word < w->word)
		word = w->word;
	word = word + 2 < word ? 2 : word + 1; /* all ones stands for something else */
	if (!put(w, page->text, page->text_bytes, HEAD_BYTES) ||
	    !put(w, (const char *)page + from, WORD_AT - from, from) ||
	    !put(w, &word, sizeof(word), WORD_AT))
		return error_fail(err, w->path, "cannot write the order: %s", strerror(errno));
	w->word = word;
	return 0;
}

static int fill(struct scp_wake_page *page, const char *const *variables, const pid_t *pids,
		size_t count, struct profile_error *err)
{
	if (count > SCP_WAKE_TARGETS_MAX)
		return error_set(err, "%zu processes cannot be woken by one page, %u at most",
				 count, SCP_WAKE_TARGETS_MAX);
	for (size_t i = 0; i < count; i++)
		page->target[i] = pids[i];
	page->count = (uint32_t)count;
	for (; *variables; variables++) {
		size_t n = strlen(*variables) + 1;

		if (page->text_bytes + n > sizeof(page->text))
			return error_set(err,
					 "what is to be recorded takes more than %u bytes to say",
					 SCP_WAKE_TEXT_BYTES);
		memcpy(page->text + page->text_bytes, *variables, n);
		page->text_bytes += (uint32_t)n;
	}
	if (!page->text_bytes) /* that would be an order to stop */
		page->text_bytes = 1;
	return 0;
}

int wake_begin(struct wake *w, const char *const *variables, const pid_t *pids, size_t count,
	       struct profile_error *err)
{
	struct scp_wake_page *page = calloc(1, sizeof(*page));
	int r = -1;

	if (!page)
		return error_no_memory(err, w->path);
	if (flock(w->fd, LOCK_EX | LOCK_NB))
		error_fail(err, w->path, "%s",
			   errno == EWOULDBLOCK ? "another scprof records here" : strerror(errno));
	else if (!fill(page, variables, pids, count, err))
		r = order(w, page, err);
	free(page);
	return r;
}

int wake_end(struct wake *w, struct profile_error *err)
{
	static const struct scp_wake_page stop;
	int r = order(w, &stop, err);

	flock(w->fd, LOCK_UN);
	return r;
}

/* A lock that can be had is given back, unless it is our own. */
static bool is_held(const struct wake *w)
{
	int other = kernel_file_fd(O_RDONLY | O_NONBLOCK, "/proc/self/fd/%d", w->fd);

	if (other < 0)
		return false;
	bool held = flock(other, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(other);
	return held;
}

bool wake_read(const struct wake *w, struct wake_state *s)
{
	struct scp_wake_page page;

	if (pread(w->fd, &page, HEAD_BYTES, 0) != (ssize_t)HEAD_BYTES ||
	    memcmp(page.magic, SCP_WAKE_MAGIC, sizeof(page.magic)))
		return false;
	*s = (struct wake_state){.ordered = page.text_bytes != 0,
				 .held = is_held(w),
				 .holders = page.holders,
				 .answer_pid = (int32_t)page.answer_pid,
				 .problem = page.problem,
				 .maker = page.pid <= INT_MAX ? (pid_t)page.pid : 0};
	if (*page.directory == '/' && memchr(page.directory, 0, sizeof(page.directory)))
		strcpy(s->directory, page.directory);
	return true;
}

bool wake_is_gone(const struct wake *w)
{
	struct stat st;

	return w->fd < 0 || fstat(w->fd, &st) || !st.st_nlink;
}
