// SPDX-License-Identifier: Apache-2.0
/* The memory of struct scp_thread, and who owns it. Any thread may call these at any time, also in
 * a handler, but thread_state_forget_all(). */
#ifndef SCPROF_PRELOAD_TABLE_THREAD_STATE_H
#define SCPROF_PRELOAD_TABLE_THREAD_STATE_H

#include "preload/table/thread.h"

/* A state that the calling thread owns from now on: one that nobody does, or a new one. It may be
 * of an earlier session. NULL: no memory. */
HIDDEN struct scp_thread *thread_state_take(void);

/* All of an earlier session is forgotten; the state begins in that which is recorded, with
 * bookkeeping marked. False: there is none any more, or no room in the file. */
HIDDEN bool thread_state_renew(struct scp_thread *t);

/* May a thread be about to write to this file? Those that begin to do so now look first, and do
 * not. */
HIDDEN bool thread_state_writes_to(const struct profile_file *f);

/* In a forked child: nobody owns a state. Memory is given back unless it is to be kept; that of
 * `own`, which may be NULL, is emptied and used again. */
HIDDEN void thread_state_forget_all(const struct scp_thread *own, bool keep);

#endif
