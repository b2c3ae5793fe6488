// SPDX-License-Identifier: GPL-3.0-or-later
/* What the server's two files share. */
#ifndef SCPROF_SERVE_HTTP_PRIVATE_H
#define SCPROF_SERVE_HTTP_PRIVATE_H

#include <microhttpd.h>
#include <pthread.h>

#include "serve/connections.h"
#include "serve/http.h"
#include "serve/request.h"

enum http_trouble {
	HTTP_WELL,
	HTTP_CROWDED,	     /* clients were refused lately */
	HTTP_NO_DESCRIPTORS, /* none is left */
};

struct http {
	struct agent *agent;
	struct MHD_Daemon *daemon;
	bool loopback;
	int listener;
	struct connections connections;
	int spare;	      /* a descriptor for when none is left; -1: it was given away */
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t stopped;
	bool stopping;
	unsigned windows;
	enum http_trouble trouble;
	pthread_mutex_t rendering; /* one large page at a time: they take memory and CPU */
};

/* What is sent; made by http_answer. */
struct http_answer {
	unsigned status;
	const char *type;
	char *body; /* to be freed */
	size_t bytes;
	unsigned refresh; /* seconds; 0: none */
	size_t left_out;  /* processes */
	bool report;	  /* a report's page, which has a policy of its own */
};

/* /dev/null; -1 with errno. */
int http_take_descriptor(void);

/* In a line. */
const char *http_trouble_text(enum http_trouble trouble);

/* Never fails: what cannot be answered becomes a 4xx or 5xx with a text. `client` is the socket
 * that the answer goes to: who has left it is not waited for. */
void http_answer(struct http *h, const struct request *r, const char *accept, int client,
		 struct http_answer *out);

#endif
