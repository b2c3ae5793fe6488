// SPDX-License-Identifier: Apache-2.0
/* Which entry of the page a site has: equal sites of all threads and processes have the same. */
#ifndef SCPROF_PRELOAD_CAUSAL_CAUSAL_SITE_H
#define SCPROF_PRELOAD_CAUSAL_CAUSAL_SITE_H

#include "preload/causal/causal_page.h"
#include "preload/table/thread.h"

/* scp_site.causal: the entry's index and these. */
#define CAUSAL_SITE_LOOKED  0x80000000u
#define CAUSAL_SITE_ENTERED 0x40000000u /* it has an entry */
#define CAUSAL_SITE_NEVER   0x20000000u /* it is not to be delayed: a signal handler's, perhaps */
#define CAUSAL_SITE_AT_END  0x10000000u /* its delay lies at the end of a call */
#define CAUSAL_SITE_INDEX   (SCP_CAUSAL_SITES - 1)

/* scp_site.progress: names that calls of this outcome are progress of, a bit each. */
static inline uint32_t causal_site_progress(const struct scp_site *s, uint32_t outcome)
{
	return (uint32_t)(s->progress >> (outcome * SCP_CAUSAL_PROGRESS)) &
	       ((1u << SCP_CAUSAL_PROGRESS) - 1);
}
_Static_assert(SCP_OUTCOMES *SCP_CAUSAL_PROGRESS <= 64, "a mask a site");

HIDDEN uint32_t causal_site_look(const struct scp_thread *t, struct scp_site *s);

/* scp_site.causal, with bookkeeping marked. */
static inline uint32_t causal_site_of(const struct scp_thread *t, struct scp_site *s)
{
	return likely(s->causal) ? s->causal : causal_site_look(t, s);
}

/* Names of which this is one, of whatever outcome that completed things have: a mask. */
HIDDEN uint32_t causal_site_names(const char *name);

/* A page comes into use: read its names. */
HIDDEN void causal_site_begin(const struct scp_causal_page *page);

#endif
