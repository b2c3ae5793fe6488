// SPDX-License-Identifier: Apache-2.0
/* Has the tool write the stub object for this program, in a child process that the program
 * does not notice: no signal at its end, none of its descriptors left open. */
#ifndef SCPROF_PRELOAD_START_REEXEC_ASK_H
#define SCPROF_PRELOAD_START_REEXEC_ASK_H

#include "preload/start/start.h"

/* Tells the tool what LD_PRELOAD was, and us that a process is the tool. */
#define REEXEC_TOOL_VARIABLE "SCPROF_PRELOAD"

enum reexec_answer {
	REEXEC_STUBS,	/* written */
	REEXEC_NOTHING, /* nothing to do */
	REEXEC_FAILED
};

/* `answer`: the object's path, or why there is none. `library`: path of libscprof.so, beside
 * which, or in ../bin, the tool lies. */
HIDDEN enum reexec_answer reexec_ask(const struct start *s, const char *program,
				     const char *library, char *answer, size_t room);

#endif
