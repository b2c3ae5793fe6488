// SPDX-License-Identifier: GPL-3.0-or-later
/* The command line of `scprof serve`. */
#ifndef SCPROF_CLI_SERVE_OPTIONS_H
#define SCPROF_CLI_SERVE_OPTIONS_H

#include "cli/usage/options.h"
#include "serve/http/http.h"
#include "serve/http/http_peer.h"

struct serve_options {
	struct http_address address;
	struct agent_options agent;
	const char *standard[2]; /* directories, where none were named */
	char working[4096];
	char token[HTTP_PEER_TOKEN];
};

/* OPTIONS_GO, or the exit status. Pointers are into argv, the environment and *o. */
int serve_options_parse(struct serve_options *o, int argc, char **argv);

#endif
