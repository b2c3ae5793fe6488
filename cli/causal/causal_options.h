// SPDX-License-Identifier: GPL-3.0-or-later
/* What `scprof causal` was asked to do. */
#ifndef SCPROF_CLI_CAUSAL_CAUSAL_OPTIONS_H
#define SCPROF_CLI_CAUSAL_CAUSAL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/run/run_options.h"
#include "include/scprof_causal.h"

enum causal_format { CAUSAL_TEXT, CAUSAL_JSON, CAUSAL_HTML };

struct causal_options {
	struct run_options run; /* -s, -g, -c; `command` */
	const char *progress;	/* NAME[@OUTCOME] */
	char function[256];	/* NAME of it */
	const char *at;		/* patterns; NULL: all */
	double for_s;		/* INFINITY: not given */
	double precision;	/* --until; 0: not given */
	double slowdown, window_s;
	enum scp_causal_by by;
	enum scp_causal_place place;
	uint64_t sites, seed; /* 0: chosen */
	bool end;	      /* end the command once the experiment is over */
	pid_t attach;	      /* 0: a command is started */
	enum causal_format format;
	const char *output;
	const char *confirm, *changed; /* NULL: not asked for */
	double faster;
	uint64_t runs;
};

/* OPTIONS_GO, or the exit status. */
int causal_options_parse(int argc, char **argv, struct causal_options *o);

/* Does one of the patterns FUNCTION[@FRAME], separated by commas, match the function, and its FRAME
 * one of `frames` names? Each frame may have several: "handle", "handle:88", "app.c:88". */
bool causal_options_match(const char *patterns, const char *function, const char *const *frame,
			  size_t frames);

#endif
