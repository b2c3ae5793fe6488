// SPDX-License-Identifier: GPL-3.0-or-later
/* What the feed's two files share. */
#ifndef SCPROF_REPORT_LIVE_LIVE_READER_PRIVATE_H
#define SCPROF_REPORT_LIVE_LIVE_READER_PRIVATE_H

#include <time.h>

#include "report/live/live_reader.h"

#define FEED_SHARE 100 /* work that can wait takes a hundredth of the time at most */

double live_reader_seconds(clockid_t clock);

/* NULL: it is none of the feed's. */
struct feed_file *live_reader_model_find_file(struct feed *f, const char *path);

/* Of these files, and those that the feed has; when the next one may be made is noted. Where a file
 * cannot be opened any more the old model stays. 0, or -1: out of memory, likewise. */
int live_reader_model_make_model(struct feed *f, const struct target_file *files, size_t count);

/* Free the model and the readings. */
void live_reader_model_release(struct feed *f);

#endif
