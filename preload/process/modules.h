// SPDX-License-Identifier: Apache-2.0
/* Loaded objects, numbered and described in the profile when they first appear
 * on a call path, so that a killed program can still be symbolized. */
#pragma once

#include "include/scprof_format.h"
#include "preload/system/util.h"

/* The frame (see SCP_FRAME) for a code address. An address outside all objects
 * (generated code) gives module 0. Slow path only; async-signal-safe. */
HIDDEN uint64_t modules_frame(uint64_t pc, bool exact);

/* Of a return address in an object that has a number already; else as in none. Takes less stack. */
HIDDEN uint64_t modules_known_frame(uint64_t pc);

/* Forget all numbers: the records went into another process's file. */
HIDDEN void modules_reset(void);

/* The same number for the same object (by its build-id, or else path) in every process; 0: none. */
HIDDEN uint64_t modules_identity(uint32_t id);

/* Take the right to add PROCESS records, and hold signals until it is given back. A thread sleeps
 * while another has that right. False, with signals as they were: after a second of that (the other
 * was stopped by a debugger) or, until the right is given back then, and where no system call may
 * be made, after a few thousand turns. */
HIDDEN bool modules_enter(uint64_t *signals);
HIDDEN void modules_leave(const uint64_t *signals);
/* With that right: a record of type SCP_REC_* and of so many bytes, rounded up, at the end of
 * `c`, its head filled; NULL: no room. file_publish_record makes it count. `c` is process.chunk
 * (chunk_type 0), or holds optional chunks of that type which belong to no table. */
struct file_chunk;
HIDDEN void *modules_record(struct file_chunk *c, uint32_t chunk_type, uint32_t type,
			    uint64_t bytes);

/* Is this address in libscprof.so itself? */
HIDDEN bool modules_is_ours(uint64_t pc);
