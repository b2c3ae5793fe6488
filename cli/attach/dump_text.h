// SPDX-License-Identifier: GPL-3.0-or-later
/* What a process's threads do (collector/dump), in words. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "collector/dump/dump.h"
#include "report/symbols/symbolize.h"

struct dump_text {
	const struct dump *dump;
	double since_s; /* of threads that are asleep for so long; 0: of all */
	struct symbolizer *symbols;
	char **doing;  /* by thread: "waits in accept4 on TCP 127.0.0.1:80, which listens" */
	char *verdict; /* "2 threads: 1 waits in accept4 on ..., 1 for a lock" */
};

/* False: no memory. dump_text_end() in any case. */
bool dump_text_begin(struct dump_text *t, const struct dump *d, double since_s);
void dump_text_end(struct dump_text *t);

/* "on CPU", "runnable", "asleep", ... */
const char *dump_text_state(const struct dump_thread *t);

/* "waits in accept4 on ...", as `doing`, before threads are told of together. */
void dump_text_tell(const struct dump_text *x, const struct dump_thread *t, FILE *out);

/* The threads, equal ones folded. */
void dump_text_print(const struct dump_text *t, FILE *out);

/* Behind a report: calls that were in progress all the time of recording; where no call ended, all
 * threads, and where their time went, by the kernel's counts. */
void dump_text_after(const struct dump *d, const struct dump_times *before, double recorded_s,
		     bool calls, FILE *out);
