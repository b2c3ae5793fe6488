// SPDX-License-Identifier: GPL-3.0-or-later
/* Profile files with Python frames and generated code, made by hand. */
#ifndef SOURCE_FILE_H
#define SOURCE_FILE_H

#include "tests/unit/support/scp_build.h"

#define SOURCE_FRAME(line) SCP_FRAME(SCP_FRAME_SOURCE, 0, line)

/* In the open chunk (scp_build_open_optional, SCP_OPTIONAL_SOURCE). */
struct scp_source_function *source_file_function(struct scp_build *b, uint32_t id, const char *name,
						 const char *file, uint32_t first_line);
struct scp_source_line *source_file_line(struct scp_build *b, uint32_t id, uint32_t function,
					 uint32_t line, uint32_t instruction);
struct scp_generated *source_file_generated(struct scp_build *b, uint32_t id, uint64_t start,
					    uint64_t bytes, const char *name);

/* A Python service as its processes 0 and 1 see it, begun and finished: the same functions and
 * lines under different ids, and one more in process 1. Five paths:
 *	send < sock_send < Service.reply (service.py:142) < handle (service.py:88) < <module>
 *	send < sock_send < Service.reply (service.py:142), another instruction, < ...
 *	recv < sock_recv < handle (service.py:80) < <module>; with SCP_PATH_PYTHON_CUT
 *	recv < generated code, which has a name
 *	process 1: recv < sock_recv < Worker.run (worker.py:7) */
#define SOURCE_FILE_FUNCTIONS 4u /* of both processes together */
#define SOURCE_FILE_LINES     6u
#define SOURCE_FILE_PATHS     5u
void source_file_make(struct scp_build *b, uint32_t process);

#endif
