// SPDX-License-Identifier: GPL-3.0-or-later
/* libmicrohttpd parses, limits the number of connections, and sends. It limits the time between two
 * bytes, not that of a whole request: http_tend does. A connection has one request, so nothing that
 * two readers could understand in two ways is taken for a second one. */

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report/serve/http/http_private.h"

/* libmicrohttpd, loaded when a server starts: with the nine libraries that it depends on it would
 * add 1.2 ms to the start of every other command. */

#define MHD_FUNCTIONS(X)                                                                           \
	X(start_daemon)                                                                            \
	X(stop_daemon)                                                                             \
	X(add_response_header)                                                                     \
	X(create_response_from_buffer)                                                             \
	X(create_response_from_fd)                                                                 \
	X(destroy_response)                                                                        \
	X(get_connection_info)                                                                     \
	X(get_connection_values)                                                                   \
	X(lookup_connection_value)                                                                 \
	X(queue_response)

#define MHD_POINTER(name) __typeof__(MHD_##name) *name;
static struct mhd {
	MHD_FUNCTIONS(MHD_POINTER)
} mhd; /* It stays loaded. */
#undef MHD_POINTER

/* A tool that is linked statically has it inside: then its names are not null. */
#define WEAK(name) extern __typeof__(MHD_##name) MHD_##name __attribute__((weak));
MHD_FUNCTIONS(WEAK)
#undef WEAK

#define LIBRARY "libmicrohttpd.so.12"

static int refuse_library(struct profile_error *err)
{
	return error_set(
		err, "cannot load %s: %.300s.\nscprof serve needs it: install libmicrohttpd 0.9",
		LIBRARY, dlerror());
}

static int load_library(struct profile_error *err)
{
#define INSIDE(name) mhd.name = MHD_##name;
	MHD_FUNCTIONS(INSIDE)
#undef INSIDE
	if (mhd.start_daemon)
		return 0;

	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return refuse_library(err);
#define LOAD(name)                                                                                 \
	mhd.name = (__typeof__(MHD_##name) *)dlsym(library, "MHD_" #name);                         \
	if (!mhd.name)                                                                             \
		return refuse_library(err);
	MHD_FUNCTIONS(LOAD)
#undef LOAD
	return 0;
}

static int listen_on(struct http_address *a, struct profile_error *err)
{
	int fd = socket(a->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	const char *hint = "";

	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (a->address.ss_family == AF_INET6)
			setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
		if (!bind(fd, (struct sockaddr *)&a->address, a->bytes) && !listen(fd, 128)) {
			getsockname(fd, (struct sockaddr *)&a->address, &a->bytes);
			http_address_describe(a);
			return fd;
		}
	}
	if (errno == EADDRINUSE)
		hint = "; another program listens there: end it, or choose another port with "
		       "--listen";
	else if (errno == EACCES)
		hint = "; ports below 1024 are root's: choose another one with --listen";
	else if (errno == EADDRNOTAVAIL)
		hint = "; this machine does not have that address";
	error_set(err, "cannot listen on %s: %s%s", a->text, strerror(errno), hint);
	if (fd >= 0)
		close(fd);
	return -1;
}

static void add_headers(struct MHD_Response *response, const struct http_answer *answer)
{
	char text[64];

	mhd.add_response_header(response, "Content-Type", answer->type);
	mhd.add_response_header(response, "Connection", "close");
	mhd.add_response_header(response, "Cache-Control", "no-store");
	mhd.add_response_header(response, "X-Content-Type-Options", "nosniff");
	mhd.add_response_header(response, "X-Frame-Options", "DENY");
	mhd.add_response_header(response, "Referrer-Policy", "no-referrer");
	mhd.add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	mhd.add_response_header(response, "Vary", "Accept");
	/* A report's page names its own script and style by their hashes. */
	mhd.add_response_header(response, "Content-Security-Policy",
				answer->report ? "frame-ancestors 'none'"
					       : "default-src 'none'; style-src 'self'; "
						 "base-uri 'none'; form-action 'none'; "
						 "frame-ancestors 'none'");
	if (answer->status == 405)
		mhd.add_response_header(response, "Allow", answer->posted ? "POST" : "GET, HEAD");
	if (answer->status == 401 && answer->bearer)
		mhd.add_response_header(response, "WWW-Authenticate", "Bearer");
	if (answer->status == 503)
		mhd.add_response_header(response, "Retry-After", "10");
	if (answer->refresh) {
		snprintf(text, sizeof(text), "%u", answer->refresh);
		mhd.add_response_header(response, "Refresh", text);
	}
	if (answer->left_out) {
		snprintf(text, sizeof(text), "%zu", answer->left_out);
		mhd.add_response_header(response, "X-Scprof-Processes-Left-Out", text);
	}
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, struct http_answer *answer)
{
	struct MHD_Response *response =
		answer->body ? mhd.create_response_from_buffer(answer->bytes, answer->body,
							       MHD_RESPMEM_MUST_FREE)
			     : mhd.create_response_from_fd(answer->bytes, answer->file);

	if (!response) {
		free(answer->body);
		if (answer->file >= 0)
			close(answer->file);
		return MHD_NO;
	}
	add_headers(response, answer);
	enum MHD_Result result = mhd.queue_response(connection, answer->status, response);
	mhd.destroy_response(response);
	return result;
}

/* -1: not known. */
static int socket_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *client =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return client ? client->connect_fd : -1;
}

/* In the thread that accepts: before anything is read, and before the socket is closed. */
static void come_or_go(void *context, struct MHD_Connection *connection, void **place,
		       enum MHD_ConnectionNotificationCode what)
{
	struct http *h = context;
	struct http_asking *one = *place;

	pthread_mutex_lock(&h->lock);
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		for (one = h->asking; one->fd >= 0; one++)
			; /* there are as many places as connections */
		*one = (struct http_asking){socket_of(connection), clocks_read_ns(CLOCK_MONOTONIC)};
		*place = one;
	} else {
		one->fd = -1;
	}
	pthread_mutex_unlock(&h->lock);
}

/* The request has come: the answer may take its time. */
static void has_asked(struct http *h, struct MHD_Connection *connection)
{
	struct http_asking *one =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
			->socket_context;

	pthread_mutex_lock(&h->lock);
	one->since_ns = 0;
	pthread_mutex_unlock(&h->lock);
}

/* libmicrohttpd closes what was shut down. */
void http_tend(struct http *h)
{
	const uint64_t late_ns = clocks_read_ns(CLOCK_MONOTONIC) - HTTP_ASK_S * SOURCE_SECOND_NS;

	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < 2 * HTTP_CONNECTIONS; i++)
		if (h->asking[i].fd >= 0 && h->asking[i].since_ns &&
		    h->asking[i].since_ns < late_ns)
			shutdown(h->asking[i].fd, SHUT_RDWR);
	pthread_mutex_unlock(&h->lock);
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return mhd.lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static void answer_attach(struct http *h, struct MHD_Connection *connection,
			  const struct request *r, struct http_answer *answer)
{
	const int client = socket_of(connection);
	const struct http_attach_asker asker = {
		.peer = http_peer_find(client, header(connection, "Authorization"),
				       h->agent->options.attach_token),
		.browser = header(connection, "Origin") || header(connection, "Sec-Fetch-Site"),
		.client = client};

	http_attach_answer(h, r, &asker, answer);
}

static void find_answer(struct http *h, struct MHD_Connection *connection, const struct request *r,
			struct http_answer *answer)
{
	answer->posted = r->route == REQUEST_ATTACH;
	if (r->status == 200 && r->route == REQUEST_ATTACH)
		answer_attach(h, connection, r, answer);
	else if (r->status == 200 && http_peer_is_local(socket_of(connection)))
		http_answer_say(answer, 403, "this socket is for POST /attach only\n");
	else if (r->status == 200 && (r->route == REQUEST_SERVICE || r->route == REQUEST_PROFILE ||
				      r->route == REQUEST_PPROF))
		http_models_answer(h, r, socket_of(connection), answer);
	else
		http_answer_make(h, r, header(connection, "Accept"), answer);
}

static enum MHD_Result add_parameter(void *to, enum MHD_ValueKind kind, const char *name,
				     const char *value)
{
	(void)kind;
	request_add(to, name, value);
	return MHD_YES;
}

/* Called when the headers were read, for each part of a body, which says nothing here, and at the
 * end. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_bytes, void **state)
{
	static char begun;
	struct http *h = context;
	struct http_answer answer = {.file = -1};
	struct request request;

	(void)version;
	(void)upload;
	if (!*state || *upload_bytes) {
		*state = &begun;
		*upload_bytes = 0;
		return MHD_YES;
	}
	has_asked(h, connection);
	request_begin(&request, method, path, header(connection, "Host"),
		      h->loopback && !http_peer_is_local(socket_of(connection)));
	mhd.get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_parameter, &request);
	request_end(&request);
	request_check_site(&request, header(connection, "Sec-Fetch-Site"),
			   header(connection, "Sec-Fetch-Dest"));
	find_answer(h, connection, &request, &answer);
	return answer.body || answer.file >= 0 ? send_answer(connection, &answer) : MHD_NO;
}

/* Called in the thread that accepts where no descriptor is free: libmicrohttpd would try again in a
 * busy loop, so sleep. */
static void rest(void *context, const char *format, va_list arguments)
{
	const struct timespec tenth = {.tv_nsec = 100000000};

	(void)context;
	(void)format;
	(void)arguments;
	if (errno == EMFILE || errno == ENFILE)
		nanosleep(&tenth, NULL);
}

static struct MHD_Daemon *start_daemon(struct http *h, int listener)
{
	return mhd.start_daemon(
		MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
			MHD_USE_ITC | MHD_USE_ERROR_LOG,
		0, NULL, NULL, handle, h, MHD_OPTION_EXTERNAL_LOGGER, rest, NULL,
		MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)HTTP_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
		(unsigned)HTTP_CONNECTIONS_OF_ONE, MHD_OPTION_NOTIFY_CONNECTION, come_or_go, h,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_STILL_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_REQUEST_BYTES,
		MHD_OPTION_THREAD_STACK_SIZE, (size_t)1 << 20, MHD_OPTION_END);
}

static struct http *begin(struct agent *agent)
{
	struct http *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->agent = agent;
	pthread_mutex_init(&h->lock, NULL);
	sem_init(&h->renderers, 0, HTTP_RENDERERS);
	sem_init(&h->windows, 0, HTTP_WINDOWS);
	for (size_t i = 0; i < 2 * HTTP_CONNECTIONS; i++)
		h->asking[i].fd = -1;
	return h;
}

/* The descriptor is the daemon's. */
static struct MHD_Daemon *serve_on(struct http *h, int listener, const char *where,
				   struct profile_error *err)
{
	struct MHD_Daemon *daemon = listener < 0 ? NULL : start_daemon(h, listener);

	if (listener >= 0 && !daemon) {
		error_set(err, "cannot start the server on %s: %s", where, strerror(errno));
		close(listener);
	}
	return daemon;
}

struct http *http_start(struct agent *agent, struct http_address *a, struct profile_error *err)
{
	const struct agent_options *o = &agent->options;
	struct http *h = begin(agent);

	if (!h) {
		error_set(err, "out of memory");
		return NULL;
	}
	if (load_library(err))
		goto out;
	h->loopback = a->loopback;
	h->daemon = serve_on(h, listen_on(a, err), a->text, err);
	if (!h->daemon)
		goto out;
	if (!o->allow_attach)
		return h;
	h->local_daemon = serve_on(h, http_peer_listen(o->attach_socket, a, &h->local, err),
				   h->local.sun_path, err);
	if (h->local_daemon)
		return h;
out:
	http_stop(h);
	return NULL;
}

const char *http_local(const struct http *h)
{
	return h->local.sun_path;
}

void http_stop(struct http *h)
{
	if (h->local_daemon)
		mhd.stop_daemon(h->local_daemon); /* closes the listener */
	if (h->daemon)
		mhd.stop_daemon(h->daemon);
	if (*h->local.sun_path)
		unlink(h->local.sun_path);
	pthread_mutex_destroy(&h->lock);
	free(h);
}
