// SPDX-License-Identifier: GPL-3.0-or-later
#include "serve/http/http_peer.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/given_file.h"

#define SCHEME	    "Bearer "
#define TOKEN_LEAST 16

bool http_peer_is_local(int client)
{
	int domain;
	socklen_t bytes = sizeof(domain);

	return !getsockopt(client, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) && domain == AF_UNIX;
}

/* How long it takes does not say how much of it is right. */
static bool same(const char *sent, const char *token)
{
	size_t bytes = strlen(token);
	unsigned char differs = 0;

	if (strlen(sent) != bytes)
		return false;
	for (size_t i = 0; i < bytes; i++)
		differs |= (unsigned char)(sent[i] ^ token[i]);
	return !differs;
}

struct http_peer http_peer_find(int client, const char *authorization, const char *token)
{
	struct http_peer peer = {0};
	struct ucred who;
	socklen_t bytes = sizeof(who);

	if (http_peer_is_local(client)) {
		if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0)
			peer = (struct http_peer){true, who.uid, who.gid};
		return peer;
	}
	if (token && authorization && !strncasecmp(authorization, SCHEME, strlen(SCHEME)) &&
	    same(authorization + strlen(SCHEME), token))
		peer = (struct http_peer){true, geteuid(), getegid()};
	return peer;
}

static int refuse(struct profile_error *err, const char *path, const char *why)
{
	error_set(
		err,
		"the token %.300s: %s; make one with: (umask 077; od -An -tx1 -N32 /dev/urandom | "
		"tr -d ' \\n' > FILE)",
		path, why);
	return -1;
}

static int take(char token[HTTP_PEER_TOKEN], ssize_t bytes)
{
	size_t length;

	token[bytes > 0 ? bytes : 0] = '\0';
	length = strcspn(token, "\r\n");
	if (strspn(token + length, "\r\n") != strlen(token + length))
		return -1;
	token[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if (token[i] <= ' ' || token[i] > '~')
			return -1;
	return length < TOKEN_LEAST ? -1 : 0;
}

int http_peer_read_token(const char *path, char token[HTTP_PEER_TOKEN], struct profile_error *err)
{
	const char *why;
	struct stat st;
	int fd = given_file_open(path, O_NOFOLLOW, &st, &why), status;

	if (fd < 0)
		return refuse(err, path, why);
	if (st.st_uid != geteuid() || (st.st_mode & 077))
		status = refuse(err, path, "it is not for this server's user alone (chmod 600)");
	else if (st.st_size >= HTTP_PEER_TOKEN || take(token, read(fd, token, HTTP_PEER_TOKEN - 1)))
		status = refuse(err, path, "it is not one line of 16 to 255 characters");
	else
		status = 0;
	close(fd);
	return status;
}
