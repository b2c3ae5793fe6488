// SPDX-License-Identifier: Apache-2.0
/* From a PyThreadState outwards. */
#ifndef SCPROF_PRELOAD_PYTHON_PYTHON_FRAMES_H
#define SCPROF_PRELOAD_PYTHON_PYTHON_FRAMES_H

#include "preload/python/python_find.h"
#include "preload/table/thread.h"

/* Fill t->python, which is empty before, and note what was read. */
HIDDEN void python_frames_read(struct scp_thread *t, const struct python_interpreter *p,
			       uint64_t state, uint32_t depth);

/* The innermost frame that is none of the loop's own, readable; 0: there is none. It notes words.
 */
HIDDEN uint64_t python_frames_innermost(struct scp_thread *t, const struct python_layout *layout,
					uint64_t state);

#endif
