// SPDX-License-Identifier: Apache-2.0
/* Names of regions, of pairs of points, and of instrumented functions: numbered when they are
 * first met, for good, in any thread or handler, without a lock. They outlive the code that
 * named them, and forks; a FUNCTION record is written when a profile first needs one. */
#pragma once

#include "preload/process/process.h"
#include "preload/system/util.h"

#define REGION_NAME_MAX	  200u	   /* bytes, without the NUL; what is longer is cut */
#define REGION_NAMED_LIKE "region" /* the library that a region is shown under */

/* The id of the function `name` of `library` (both are copied); 0: no room for another name. */
HIDDEN uint32_t region_name(const char *name, const char *library, uint32_t group);

/* Is there a name? When the first is made, *region_name_first is called, unless that is NULL. */
HIDDEN bool region_name_any(void);
extern HIDDEN void (*region_name_first)(void);

/* "from -> to", and with `cycle` "from -> to (cycle)". */
HIDDEN uint32_t region_name_pair(uint32_t from, uint32_t to, bool cycle);

/* What a name was made of. */
HIDDEN const char *region_name_text(uint32_t id, const char **library, uint32_t *group);

/* Its record is in this process's profile. False: no room, or another thread is writing it. */
HIDDEN bool region_name_describe(uint32_t id);

/* The records went into another process's file. */
HIDDEN void region_name_forget_records(void);
