// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/copy_in.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/launch/run_directory.h"
#include "profile/base/error.h"
#include "profile/live/run_files.h"
#include "profile/base/kernel_file.h"

#define LIBRARY	   "libscprof.so"
#define MOST_BYTES (INT64_C(256) << 20) /* of a library */

/* An own directory of a name that nobody else can have made, and one in it for profiles, which
 * processes of any user write if root's may become somebody else's (run_directory.h). */
static int make_directories(struct copy_in *c)
{
	bool root = !c->owner.uid;
	uint64_t secret[3];

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return -1;
	snprintf(c->name, sizeof(c->name), RUN_DIRECTORY_NAME "%016" PRIx64, secret[0]);
	snprintf(c->profiles_name, sizeof(c->profiles_name), "p%016" PRIx64 "%016" PRIx64,
		 secret[1], secret[2]);
	if (mkdirat(c->place, c->name, 0700))
		return -1;
	c->made = openat(c->place, c->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (c->made < 0) {
		int error = errno;

		unlinkat(c->place, c->name, AT_REMOVEDIR);
		errno = error;
		return -1;
	}
	if (mkdirat(c->made, c->profiles_name, 0700))
		return -1;
	return root ? fchmod(c->made, 0711) || fchmodat(c->made, c->profiles_name, 01777, 0) : 0;
}

static int copy_library(const struct copy_in *c, int library)
{
	struct stat st;
	off_t at = 0;
	ssize_t got = 1;
	int copy = openat(c->made, LIBRARY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  0700);

	if (copy < 0)
		return -1;
	if (fstat(library, &st) || !S_ISREG(st.st_mode) || st.st_size > MOST_BYTES) {
		errno = EINVAL;
		got = -1;
	}
	while (got > 0 && at < st.st_size)
		got = sendfile(copy, library, &at, (size_t)(st.st_size - at));
	if (got == 0)
		errno = EIO;
	int failed = got <= 0 || fchmod(copy, 0555) ? -1 : 0;
	kernel_file_close(&copy);
	return failed;
}

static int name_all(struct copy_in *c, const char *directory)
{
	size_t length = strlen(directory);

	while (length && directory[length - 1] == '/')
		length--;
	if (snprintf(c->inner_directory, sizeof(c->inner_directory), "%.*s/%s", (int)length,
		     directory, c->name) >= PATH_MAX - 80) {
		errno = ENAMETOOLONG;
		return -1;
	}
	snprintf(c->inner_library, sizeof(c->inner_library), "%.*s/" LIBRARY, PATH_MAX - 80,
		 c->inner_directory);
	return 0;
}

/* With the owner's rights. */
static int make_all(struct copy_in *c, const struct refusal_facts *f, const char *directory,
		    int library)
{
	const char *slash = strrchr(f->wake, '/');
	char folder[PATH_MAX];
	struct statvfs fs;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - f->wake) + 1 : 2,
		 slash ? f->wake : "./");
	c->place = f->target.pid ? as_user_open_inside(f->target.pid, directory,
						       O_RDONLY | O_DIRECTORY | O_NONBLOCK)
				 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->place < 0)
		return -1;
	if (library >= 0 && !fstatvfs(c->place, &fs) && fs.f_flag & ST_NOEXEC) {
		errno = ENOEXEC;
		return -1;
	}
	return make_directories(c) || name_all(c, directory) ||
			       (library >= 0 && copy_library(c, library))
		       ? -1
		       : 0;
}

static int begin(struct copy_in *c, const struct refusal_facts *f, const char *directory,
		 int library, struct profile_error *err)
{
	struct as_user_before before;
	pid_t pid = f->target.pid;
	struct refusal_process p = {
		.owner = {.uid = f->uid, .gid = f->gid, .group = {f->gid}, .groups = 1}};

	if (pid && refusal_process_read(pid, &p, err))
		return -1;
	c->owner = p.owner;
	int failed = as_user_begin(&c->owner, &before);
	if (!failed) {
		failed = make_all(c, f, directory, library);
		as_user_end(&before);
	}
	/* the root that was opened is that of the right process */
	if (!failed && pid && run_files_process_start(pid, NULL) != f->target.process_start) {
		errno = ESRCH;
		failed = -1;
	}
	if (failed)
		error_set(err,
			  "cannot make files in %.150s of process %d: %s: --copy-to DIR has to "
			  "name a directory there that user %u can write to and execute from",
			  directory, (int)(pid ? pid : f->inner_pid),
			  errno == ENOEXEC ? "its file system is mounted noexec"
			  : errno == EACCES || errno == EPERM
				  ? "the process's user cannot write there"
				  : strerror(errno),
			  (unsigned)p.owner.uid);
	return failed;
}

int copy_in_begin(struct copy_in *c, const struct refusal_facts *f, const char *directory,
		  const char *library, struct profile_error *err)
{
	int failed, from = -1;

	*c = (struct copy_in){.place = -1, .made = -1};
	if (*directory != '/')
		return error_fail(err, directory,
				  "--copy-to needs an absolute path, as the process sees it");
	if (library)
		from = open(library, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (library && from < 0)
		return error_fail(err, library, "%s", strerror(errno));
	failed = begin(c, f, directory, from, err);
	if (library)
		close(from);
	if (failed)
		copy_in_end(c);
	return failed;
}

bool copy_in_end(struct copy_in *c)
{
	struct as_user_before before;
	bool gone = true;

	if (c->made >= 0 && !as_user_begin(&c->owner, &before)) {
		unlinkat(c->made, LIBRARY, 0);
		unlinkat(c->made, c->profiles_name, AT_REMOVEDIR);
		gone = !unlinkat(c->place, c->name, AT_REMOVEDIR) || errno == ENOENT;
		as_user_end(&before);
	}
	kernel_file_close(&c->made);
	kernel_file_close(&c->place);
	c->place = c->made = -1;
	return gone;
}
