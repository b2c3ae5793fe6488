// SPDX-License-Identifier: GPL-3.0-or-later
/* Profile files of one function, one table and some paths, made by hand and read. What cannot be
 * read fails the test. */
#ifndef PATH_FILE_H
#define PATH_FILE_H

#include "profile/profile.h"
#include "tests/unit/support/scp_build.h"

/* With function 1 and modules 1 and 0x9001; the table's chunk is open. */
void path_file_begin(struct scp_build *b);

/* Own frames, innermost first, in front of the `shared` outermost of path `base`. */
struct scp_path *path_file_path(struct scp_build *b, uint32_t id, uint32_t base, uint32_t shared,
				uint32_t own, const uint64_t *frame);

/* Of one call. */
struct scp_entry *path_file_entry(struct scp_build *b, uint32_t id, uint32_t path, uint64_t units);

/* Save it under that name; returns its path. */
const char *path_file_finish(struct scp_build *b, const char *name);

/* To be freed. The models are as they should be (model_check.h). */
struct profile *path_file_read(const char *const *path, size_t files);
struct profile *path_file_read_one(const char *path);
struct profile *path_file_read_again(const struct profile *p); /* written in between */

/* Save it: it is refused with `why`. */
void path_file_expect_refusal(struct scp_build *b, const char *why);

#endif
