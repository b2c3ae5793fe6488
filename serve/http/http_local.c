// SPDX-License-Identifier: GPL-3.0-or-later
#include "serve/http/http_local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/base/given_file.h"

static int refuse(struct profile_error *err, const char *path, const char *why)
{
	error_set(err, "cannot listen on %.300s: %s; name another socket: --allow-attach=PATH",
		  path, why);
	return -1;
}

static int name_it(struct sockaddr_un *name, const char *wanted, const struct http_address *tcp,
		   struct profile_error *err)
{
	const char *own = getenv("XDG_RUNTIME_DIR"), *port = strrchr(tcp->text, ':') + 1;
	int bytes;

	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (wanted)
		bytes = snprintf(name->sun_path, sizeof(name->sun_path), "%s", wanted);
	else
		bytes = snprintf(name->sun_path, sizeof(name->sun_path), "%s/scprof-serve.%s.sock",
				 !geteuid()	      ? "/run"
				 : own && *own == '/' ? own
						      : "/tmp",
				 port);
	if (bytes > 0 && (size_t)bytes < sizeof(name->sun_path))
		return 0;
	*name->sun_path = '\0'; /* the beginning of the path is somebody else's */
	return refuse(err, wanted ? wanted : own, "the path of a socket has at most 107 bytes");
}

/* Left by a server that was killed: ours, and nobody listens. */
static bool is_left(const struct sockaddr_un *name)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool left =
		connect(fd, (const struct sockaddr *)name, sizeof(*name)) && errno == ECONNREFUSED;
	struct stat st;

	if (fd >= 0)
		close(fd);
	return left && !lstat(name->sun_path, &st) && S_ISSOCK(st.st_mode) &&
	       st.st_uid == geteuid();
}

/* Whoever may write the folder can put a link there meanwhile: it is not followed. */
static int permit(const struct sockaddr_un *name)
{
	char path[64];
	struct stat st;
	int fd = given_file_find(name->sun_path, O_NOFOLLOW, &st), failed;

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid()) {
		errno = ENOTSOCK;
		failed = -1;
	} else {
		failed = chmod(path, geteuid() ? 0600 : 0666);
	}
	close(fd);
	return failed;
}

int http_local_listen(const char *wanted, const struct http_address *tcp, struct sockaddr_un *name,
		      struct profile_error *err)
{
	const struct sockaddr *address = (const struct sockaddr *)name;
	int fd, failed;

	if (name_it(name, wanted, tcp, err))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	failed = bind(fd, address, sizeof(*name));
	if (failed && errno == EADDRINUSE && is_left(name)) {
		unlink(name->sun_path);
		failed = bind(fd, address, sizeof(*name));
	}
	/* before anybody can connect */
	if (!failed && !permit(name) && !listen(fd, 128))
		return fd;
	refuse(err, name->sun_path,
	       errno == EADDRINUSE ? "another program listens there, or the file is not ours"
				   : strerror(errno));
	if (fd >= 0)
		close(fd);
	if (!failed)
		unlink(name->sun_path);
	*name->sun_path = '\0'; /* it is somebody else's */
	return -1;
}

void http_local_remove(const struct sockaddr_un *name)
{
	if (*name->sun_path)
		unlink(name->sun_path);
}
