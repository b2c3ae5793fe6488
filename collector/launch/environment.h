// SPDX-License-Identifier: GPL-3.0-or-later
/* The environment that tells libscprof.so what to do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/scprof_format.h"
#include "profile/profile.h"

/* `value` NULL: it is unset, or where `inherited` stays as it is in our own environment. */
struct environment_variable {
	const char *name, *value;
	bool inherited;
};

#define ENVIRONMENT_WISHES 14

struct environment {
	const char *library;  /* absolute path of libscprof.so */
	const char *stubs;    /* the stub object, preloaded just before it; or NULL */
	const char *before;   /* soname to be preloaded before all others, or "" */
	const char *profiles; /* directory */
	const char *page;     /* page clock, NULL unless the clock needs it */
	enum scp_clock_kind clock;
	uint64_t tick_ns;    /* of the page clock */
	const char *control; /* the page that stops and starts recording; NULL: none */
	const char *stopped; /* what the program starts recording by; NULL: it does not */
	const char *causal;  /* the page of delays; NULL: none */
	struct environment_variable wish[ENVIRONMENT_WISHES]; /* all others; a name NULL ends */
};

/* Where libscprof.so lies: $SCPROF_LIB if set; else beside this executable, in ../lib,
 * ../lib/scprof, ../lib/MULTIARCH. Absolute. 0, or -1 and *err with what was tried. */
int environment_find_library(char *path, size_t size, struct profile_error *err);

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

/* Where a run's memory lies decides some of its speed: which of two equal programs is "faster" may
 * follow from the length of the environment alone (Mytkowicz, Diwan, Hauswirth and Sweeney 2009,
 * "Producing wrong data without doing anything obviously wrong!"). One layout is one sample,
 * however long the run. So each run that is compared gets its own (Curtsinger and Berger 2013,
 * "Stabilizer"), as far as a launcher can do it: the stack and all that lies on it, the addresses
 * of libraries, heap and stack. Code within a module stays where the linker put it. */

/* The variable whose length is drawn, and the longest value: a page. */
#define ENVIRONMENT_LAYOUT_VARIABLE "SCPROF_LAYOUT"
#define ENVIRONMENT_LAYOUT_MOST	    4096

/* For this process and those that it starts: the variable with `bytes` of padding
 * (ENVIRONMENT_LAYOUT_MOST at most) in the environment, and addresses that the kernel draws anew,
 * also where the caller had switched that off (setarch -R). 0, or -1: out of memory. Where the
 * kernel refuses to change the personality, addresses stay as they are. */
int environment_set_layout(size_t bytes);

/* The same with a length from the kernel's random numbers. Call it after fork, before what is to be
 * measured is executed. */
int environment_draw_layout(void);
