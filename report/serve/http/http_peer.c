// SPDX-License-Identifier: GPL-3.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/serve/http/http_private.h"
#include "profile/base/given_file.h"

/* Addresses to listen on, from text and back. */

#define PORT_DEFAULT "9464"

static int address_failed(struct profile_error *err, const char *text, const char *why)
{
	return error_set(
		err,
		"cannot listen on '%.100s': %s; give ADDRESS:PORT, such as 127.0.0.1:9464 or "
		"[::1]:9464",
		text, why);
}

/* host[] and port[] from the text; -1: too long, or brackets that do not match. */
static int split(const char *text, char host[64], char port[8])
{
	bool port_only = strspn(text, "0123456789") == strlen(text), six = *text == '[';
	size_t length = port_only ? 0 : strcspn(text, six ? "]" : ":");
	const char *rest = text + length;

	if (length >= 64 || (six && *rest++ != ']') || (!port_only && *rest && *rest != ':'))
		return -1;
	snprintf(host, 64, "%.*s", (int)length - six, text + six);
	if (!length)
		strcpy(host, "127.0.0.1");
	rest += *rest == ':';
	if (strlen(rest) >= 8 || (!*rest && rest[-1] == ':'))
		return -1;
	strcpy(port, *rest ? rest : PORT_DEFAULT);
	return 0;
}

void http_address_describe(struct http_address *a)
{
	const struct sockaddr_in *four = (const void *)&a->address;
	const struct sockaddr_in6 *six = (const void *)&a->address;
	bool is_six = a->address.ss_family == AF_INET6;
	char host[INET6_ADDRSTRLEN], port[8];

	getnameinfo((const void *)&a->address, a->bytes, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	a->loopback = is_six ? IN6_IS_ADDR_LOOPBACK(&six->sin6_addr)
			     : ntohl(four->sin_addr.s_addr) >> 24 == 127;
	snprintf(a->text, sizeof(a->text), is_six ? "[%s]:%s" : "%s:%s", host, port);
}

int http_address_parse(struct http_address *a, const char *text, struct profile_error *err)
{
	struct sockaddr_in *four = (void *)&a->address;
	struct sockaddr_in6 *six = (void *)&a->address;
	char host[64], port[8];

	*a = (struct http_address){0};
	if (!*text)
		return address_failed(err, text, "that is empty");
	if (split(text, host, port))
		return address_failed(err, text, "that is not an address with a port");
	unsigned long number =
		strspn(port, "0123456789") == strlen(port) ? strtoul(port, NULL, 10) : 65536;
	if (number > 65535)
		return address_failed(err, text, "the port is not a number from 0 to 65535");
	if (!strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons((uint16_t)number);
		a->bytes = sizeof(*four);
	} else if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)number);
		a->bytes = sizeof(*six);
	} else {
		return address_failed(err, text, "that is not an IP address");
	}
	http_address_describe(a);
	return 0;
}

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

static int refuse_token(struct profile_error *err, const char *path, const char *why)
{
	return error_set(
		err,
		"the token %.300s: %s; make one with: (umask 077; od -An -tx1 -N32 /dev/urandom | "
		"tr -d ' \\n' > FILE)",
		path, why);
}

static int take(char token[HTTP_PEER_TOKEN], ssize_t bytes)
{
	token[bytes > 0 ? bytes : 0] = '\0';
	size_t length = strcspn(token, "\r\n");
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
		return refuse_token(err, path, why);
	if (st.st_uid != geteuid() || (st.st_mode & 077))
		status = refuse_token(err, path,
				      "it is not for this server's user alone (chmod 600)");
	else if (st.st_size >= HTTP_PEER_TOKEN || take(token, read(fd, token, HTTP_PEER_TOKEN - 1)))
		status = refuse_token(err, path, "it is not one line of 16 to 255 characters");
	else
		status = 0;
	close(fd);
	return status;
}

static int refuse_socket(struct profile_error *err, const char *path, const char *why)
{
	return error_set(err,
			 "cannot listen on %.300s: %s; name another socket: --allow-attach=PATH",
			 path, why);
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
	return refuse_socket(err, wanted ? wanted : own,
			     "the path of a socket has at most 107 bytes");
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

int http_peer_listen(const char *wanted, const struct http_address *tcp, struct sockaddr_un *name,
		     struct profile_error *err)
{
	const struct sockaddr *address = (const struct sockaddr *)name;

	if (name_it(name, wanted, tcp, err))
		return -1;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int failed = bind(fd, address, sizeof(*name));
	if (failed && errno == EADDRINUSE && is_left(name)) {
		unlink(name->sun_path);
		failed = bind(fd, address, sizeof(*name));
	}
	/* before anybody can connect */
	if (!failed && !permit(name) && !listen(fd, 128))
		return fd;
	refuse_socket(err, name->sun_path,
		      errno == EADDRINUSE ? "another program listens there, or the file is not ours"
					  : strerror(errno));
	if (fd >= 0)
		close(fd);
	if (!failed)
		unlink(name->sun_path);
	*name->sun_path = '\0'; /* it is somebody else's */
	return -1;
}
