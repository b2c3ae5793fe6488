// SPDX-License-Identifier: GPL-3.0-or-later
/* What the server's files share: http.c calls the others, and all may use http_answer_say. */
#ifndef SCPROF_SERVE_HTTP_HTTP_PRIVATE_H
#define SCPROF_SERVE_HTTP_HTTP_PRIVATE_H

#include <microhttpd.h>
#include <pthread.h>
#include <sys/un.h>

#include "serve/http/http.h"
#include "serve/monotonic.h"
#include "serve/render/rendering.h"
#include "serve/http/request.h"

enum http_trouble {
	HTTP_WELL,
	HTTP_CROWDED,	     /* clients were refused lately */
	HTTP_NO_DESCRIPTORS, /* none is left */
};

/* Pages and pprof profiles that were not made, since the first one after a while without. */
struct http_failures {
	uint64_t count;
	time_t since;
	uint64_t last_ns;
	enum rendering_result why; /* the last one */
	int status;
	char service[LABEL_BYTES];
	bool told; /* in the log */
};

#define HTTP_CONNECTIONS	64    /* at a time */
#define HTTP_CONNECTIONS_OF_ONE 32    /* from one address */
#define HTTP_KEEP_S		90    /* that an idle connection stays: a scrape a minute */
#define HTTP_REQUEST_BYTES	32768 /* of a connection: its request, and its answer's headers */
#define HTTP_ATTACHED		4     /* processes that are recorded for requests at a time */
#define HTTP_ATTACHED_OF_OTHERS 3     /* of these, for users other than the server's */
#define HTTP_ATTACHED_OF_ONE	2     /* for one of those */
#define HTTP_FAILURE_BYTES	128   /* of one's reason */
#define HTTP_FAILURES_BYTES	(LABEL_BYTES + 256)

struct http {
	struct agent *agent;
	struct MHD_Daemon *daemon, *local_daemon; /* by TCP, by Unix socket; NULL: none */
	struct sockaddr_un local;		  /* "": none */
	bool loopback;
	int spare;	      /* an open descriptor, to be closed if no other is left; -1: it was */
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t stopped;
	bool stopping;
	unsigned windows;
	struct {
		uint32_t pid; /* 0: none */
		uid_t by;
	} attached[HTTP_ATTACHED];
	uint64_t refused_ns; /* when a client found no place; 0: never */
	enum http_trouble trouble;
	struct http_failures failures;
	struct renderings renderings; /* has a lock of its own */
	char news[HTTP_FAILURES_BYTES];
};

/* What is sent. */
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

/* /dev/null; -1 with errno. */
int http_health_take_descriptor(void);

/* A client was refused. */
void http_health_note_refusal(struct http *h);

/* In a line. */
const char *http_health_trouble_text(enum http_trouble trouble);

/* A rendering failed, as result and status of its process say. */
void http_health_add_failure(struct http *h, const char *service, enum rendering_result why,
			     int status);
void http_health_reason(char out[HTTP_FAILURE_BYTES], const struct http *h,
			enum rendering_result why, int status);
/* A line with its end; "": none lately. */
void http_health_failures(char out[HTTP_FAILURES_BYTES], struct http *h);

#define HTTP_HTML_TYPE "text/html; charset=utf-8"

/* Replace the answer by plain text. */
__attribute__((format(printf, 3, 4))) void http_answer_say(struct http_answer *out, unsigned status,
							   const char *format, ...);

/* Make a->text and a->loopback of a->address. */
void http_address_describe(struct http_address *a);

/* Both fill an empty answer and never fail: what cannot be answered becomes a 4xx or 5xx with a
 * text. A service's page or a pprof profile; `client` is the socket that the answer goes to: who
 * has left it is not waited for. */
void http_models_answer(struct http *h, const struct request *r, int client,
			struct http_answer *out);

/* All else. */
void http_answer_make(struct http *h, const struct request *r, const char *accept,
		      struct http_answer *out);

#endif
