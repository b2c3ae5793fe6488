// SPDX-License-Identifier: GPL-3.0-or-later
/* live_reader.c calls live_reader_model.c, never the other way round. */
#ifndef SCPROF_REPORT_LIVE_LIVE_READER_PRIVATE_H
#define SCPROF_REPORT_LIVE_LIVE_READER_PRIVATE_H

#include "report/live/live_reader.h"

#define LIVE_READER_SHARE 100 /* work that can wait takes a hundredth of the time at most */

/* NULL: it is none of the reader's. */
struct live_reader_file *live_reader_model_find_file(struct live_reader *f, const char *path);

/* A model of these files and those that the reader has; notes when the next one may be made. The
 * old model stays if a file cannot be opened any more (0), or out of memory (-1). */
int live_reader_model_make_model(struct live_reader *f, const struct target_file *files,
				 size_t count);

/* Free the model and the readings. */
void live_reader_model_release(struct live_reader *f);

#endif
