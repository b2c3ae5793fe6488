// SPDX-License-Identifier: GPL-3.0-or-later
/* The environment that tells libscprof.so what to do. */
#ifndef SCPROF_COLLECTOR_LAUNCH_ENVIRONMENT_H
#define SCPROF_COLLECTOR_LAUNCH_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_format.h"

/* Texts as the library reads them, each NULL where there is no such filter. */
struct environment_filters {
	const char *below, *below_ranges; /* patterns; the file of their places */
	const char *threads, *depth;
	const char *python, *native; /* NULL: as it is in the environment */
	const char *after, *length, *signal, *stopped;
	const char *control; /* the page that stops and starts recording */
};

struct environment {
	const char *library;  /* absolute path of libscprof.so */
	const char *stubs;    /* the stub object, preloaded just before it; or NULL */
	const char *before;   /* soname to be preloaded before all others, or "" */
	const char *profiles; /* directory */
	const char *page;     /* page clock, NULL unless the clock needs it */
	enum scp_clock_kind clock;
	uint64_t tick_ns;   /* of the page clock */
	const char *groups; /* NULL: the library's default */
	struct environment_filters filters;
	/* which calls are kept one by one; NULL: as it is in the environment */
	const char *slowest, *slower_than, *slowest_of, *states;
	const char *verify_paths; /* likewise */
	const char *causal;	  /* the page of delays; NULL: none */
};

/* Can LD_PRELOAD name this path? The loader splits it at spaces and colons and
 * expands $ORIGIN and the like. */
bool environment_can_preload(const char *path);

/* Change this process's own environment, for the command to inherit. What the user preloads
 * stays, after our library, which calls through to it: but for sanitizers, which come first, and
 * where the list names libscprof.so already. 0, or -1: out of memory. */
int environment_set(const struct environment *e);

/* The same for a process that runs already, which has no use for LD_PRELOAD: "NAME=value", ended by
 * NULL; what the command would inherit is among them, and SCPROF_STUBS where there are stubs. NULL:
 * out of memory. */
char **environment_order(const struct environment *e);
void environment_order_free(char **order);

#endif
