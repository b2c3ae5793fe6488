// SPDX-License-Identifier: GPL-3.0-or-later
/* Shared by the server's files: http.c calls the others, and all may use http_answer_say. */
#pragma once

#include <microhttpd.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include "profile/base/error.h"
#include "report/serve/http/http.h"
#include "report/wording/utf8.h"
#include "collector/clocks/clocks_read.h"
#include "report/serve/render/renderer.h"
#include "report/serve/pages/index.h"

/* Checks of a request that libmicrohttpd has parsed and decoded. Pure functions, so that they can
 * be fuzzed. Nothing is guessed: what is not understood is refused, with a text that says what is
 * valid. */

enum request_route {
	REQUEST_INDEX,
	REQUEST_STYLE,
	REQUEST_SERVICE,
	REQUEST_PROFILE,
	REQUEST_METRICS,
	REQUEST_PPROF,
	REQUEST_HEALTH,
	REQUEST_ATTACH /* the only one by POST */
};

/* Texts are those that the functions were given. */
struct request {
	unsigned status; /* 200, or why not: 400, 403, 404, 405 */
	char problem[256];
	enum request_route route;
	const char *service;	  /* "": all */
	const char *file;	  /* of /profile; else "" */
	const char *groups;	  /* of /attach; "": the default */
	uint32_t clock;		  /* enum scp_clock_kind; NONE: not named */
	double seconds;		  /* of /debug/pprof/profile, and of /attach */
	uint32_t pid;		  /* of /attach */
	bool children;		  /* likewise */
	struct index_order order; /* of the processes on / */
	unsigned refresh;	  /* seconds until the page reloads; 0: never */
};

#define REQUEST_SECONDS_DEFAULT 30
#define REQUEST_SECONDS_MOST	3600
#define REQUEST_ATTACH_DEFAULT	10
#define REQUEST_ATTACH_MOST	300

/* `path` without its query. host NULL: none was sent. `loopback`: the server listens on such an
 * address, and only such names of it are heard. */
void request_begin(struct request *r, const char *method, const char *path, const char *host,
		   bool loopback);

/* Takes a parameter of the query; value NULL: it had none. */
void request_add(struct request *r, const char *name, const char *value);

/* There are no more parameters. */
void request_end(struct request *r);

/* Refuse (403) what a page of another site asks for behind its reader's back: `site` and `dest` are
 * the headers Sec-Fetch-Site and Sec-Fetch-Dest, NULL: not sent (Fetch Metadata, W3C). A link that
 * a reader follows from elsewhere opens a document, and is answered. */
void request_check_site(struct request *r, const char *site, const char *dest);

/* Does a Host header name a loopback address? "localhost", 127.x.y.z or [::1], with or without a
 * port. In a DNS rebinding attack, the header has the attacker's name. */
bool request_host_is_loopback(const char *host);

/* The Unix socket that POST /attach comes by, and who is at the other end of a connection. The
 * kernel says it of a Unix socket; over TCP, who sends the token has read the file that only the
 * server's user can read. */

struct http_peer {
	bool known;
	uid_t uid; /* effective, when it connected */
	gid_t gid;
};

/* Does the connection come by a Unix socket? */
bool http_peer_is_local(int client);

/* `authorization`: the header, NULL: not sent. `token`: what the server knows, NULL: none. */
struct http_peer http_peer_find(int client, const char *authorization, const char *token);

/* Listen there; `wanted` NULL: at a name made of the port, in /run for root, else in
 * XDG_RUNTIME_DIR, else in /tmp. A socket of ours that nobody answers at is replaced. All users may
 * connect to root's server, nobody else to another's. The descriptor, with *name; -1 with *err. */
int http_peer_listen(const char *wanted, const struct http_address *tcp, struct sockaddr_un *name,
		     struct profile_error *err);

/* Pages and pprof profiles that were not made, since the first one after a while without. */
struct http_failures {
	uint64_t count;
	time_t since;
	uint64_t last_ns;
	char last[LABEL_BYTES + 160]; /* which, and why */
};

#define HTTP_FAILURES_NS	(600 * SOURCE_SECOND_NS)
#define HTTP_CONNECTIONS	64    /* at a time, for each of the two sockets */
#define HTTP_CONNECTIONS_OF_ONE 32    /* from one address */
#define HTTP_REQUEST_BYTES	32768 /* of a connection: its request, and its answer's headers */
#define HTTP_ASK_S		10    /* for a whole request */
#define HTTP_STILL_S		10    /* within which a client must send or receive a byte */
#define HTTP_RENDERERS		4     /* that work at a time */
#define HTTP_ATTACHED		4     /* processes that are recorded for requests at a time */
#define HTTP_ATTACHED_OF_OTHERS 3     /* of these, for users other than the server's */
#define HTTP_ATTACHED_OF_ONE	2     /* for one of those */

/* A place of a connection. */
struct http_asking {
	int fd;		   /* -1: it is free */
	uint64_t since_ns; /* its request has not come wholly; 0: it has */
};

struct http {
	struct agent *agent;
	struct MHD_Daemon *daemon, *local_daemon; /* by TCP, by Unix socket; NULL: none */
	struct sockaddr_un local;		  /* "": none */
	bool loopback;
	sem_t renderers, windows; /* free places */
	pthread_mutex_t lock;	  /* of what follows */
	struct http_asking asking[2 * HTTP_CONNECTIONS];
	struct {
		uint32_t pid; /* 0: none */
		uid_t by;
	} attached[HTTP_ATTACHED];
	struct http_failures failures;
};

/* The server sends this. */
struct http_answer {
	unsigned status;
	const char *type;
	char *body; /* to be freed; NULL: the file */
	int file;   /* to be closed; -1: none */
	size_t bytes;
	unsigned refresh; /* seconds; 0: none */
	size_t left_out;  /* processes */
	bool posted;	  /* the address takes POST only */
	bool bearer;	  /* and a token */
	bool report;	  /* a report's page, which has a policy of its own */
};

#define HTTP_HTML_TYPE "text/html; charset=utf-8"

/* Replace the answer by plain text. Without memory the connection is closed. */
void http_answer_say_of(struct http_answer *out, unsigned status, char *body);
#define http_answer_say(out, status, ...) http_answer_say_of(out, status, utf8_text(__VA_ARGS__))

/* Make a->text and a->loopback of a->address. */
void http_address_describe(struct http_address *a);

/* The server ends, or the client has left: nobody waits for the answer. */
bool http_is_over(const struct http *h, int client);

/* Both fill an empty answer and never fail: what cannot be answered becomes a 4xx or 5xx with a
 * text. A service's page or a pprof profile; `client` is the socket that the answer goes to: who
 * has left it is not waited for. */
void http_models_answer(struct http *h, const struct request *r, int client,
			struct http_answer *out);

/* All else. */
void http_answer_make(struct http *h, const struct request *r, const char *accept,
		      struct http_answer *out);

/* POST /attach: recording a process, where the server was told at its start to allow that. `scprof
 * attach` does it, in a process of its own that has the rights of who asks: the kernel then decides
 * what they may trace, whatever happens between a look and the attach. Only root's server can
 * become somebody else; another one records for its own user, and for root. */

struct http_attach_asker {
	struct http_peer peer;
	bool browser; /* it sent headers that only browsers send */
	int client;   /* who leaves ends the recording */
};

/* Fills an empty answer: the report as JSON, or a 4xx or 5xx with a text. */
void http_attach_answer(struct http *h, const struct request *r,
			const struct http_attach_asker *asker, struct http_answer *out);
