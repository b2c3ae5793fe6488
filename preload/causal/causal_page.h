// SPDX-License-Identifier: Apache-2.0
/* The page that SCPROF_CAUSAL names, mapped. It is no more trusted than any file: indexes are
 * checked, and beside the page's limits on delays there are those of causal_delay.c. */
#ifndef SCPROF_PRELOAD_CAUSAL_CAUSAL_PAGE_H
#define SCPROF_PRELOAD_CAUSAL_CAUSAL_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_causal.h"
#include "preload/system/util.h"

/* NULL: none. Threads may still use one that is let go: its memory stays. */
extern HIDDEN struct scp_causal_page *causal_page;

static inline bool causal_page_is_there(void)
{
	return unlikely(causal_page != NULL);
}

/* The same for good: a session may end at any time. */
static inline struct scp_causal_page *causal_page_now(void)
{
	return __atomic_load_n(&causal_page, __ATOMIC_ACQUIRE);
}

/* Units of the counter in a microsecond, and what one reading of it takes. */
struct causal_counter {
	uint64_t microsecond, reading;
};
extern HIDDEN struct causal_counter causal_counter;

/* Not in use yet; NULL: it cannot be had. Opens and closes a file, and reads the counter. */
HIDDEN struct scp_causal_page *causal_page_map(const char *path);

/* Its file is let go, and it is not in use. */
HIDDEN void causal_page_forget(void);

#endif
