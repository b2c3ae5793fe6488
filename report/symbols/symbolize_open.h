// SPDX-License-Identifier: GPL-3.0-or-later
/* The one place that opens the files that a profile names: modules, their debug information, maps
 * of generated code. No profile is trusted: its author chose the paths, and may replace, truncate
 * or rewrite the files at any time. Therefore a path is looked up once, and the file that was
 * checked is the file that is opened; only regular files are opened, so that no pipe blocks and no
 * device acts; files are read into private memory, since a mapped file that is truncated kills the
 * process (SIGBUS); a reader with more rights than the profile's owner opens only root's own files,
 * and of those only files that everybody may read; the bytes that are read for one profile are
 * limited. Private to symbolize*.c. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_OPEN_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* What may be read for the names of one profile, in bytes after decompression. Symbols and lines
 * that are looked up take a few times their part of it. It does not depend on the profile: a
 * hundred bytes of a profile can name a file of any size. */
#define SYMBOLIZE_MOST	       (UINT64_C(1) << 30)
#define SYMBOLIZE_MOST_GUARDED (UINT64_C(1) << 29) /* see symbolize_guard */

/* To limit time, too, a file that is checked and a request to a server count as so many bytes. */
#define SYMBOLIZE_LOOK	   (UINT64_C(16) << 10)
#define SYMBOLIZE_QUESTION (UINT64_C(4) << 20)

/* Entries of debug information and maps that may be looked at, some tenths of a microsecond each:
 * where compilers left no index, one address may need all units of a file. */
#define SYMBOLIZE_MOST_STEPS	     (UINT64_C(1) << 27)
#define SYMBOLIZE_MOST_STEPS_GUARDED (UINT64_C(1) << 25)

struct symbolize_files {
	bool guarded;	/* see symbolize_guard; to be set before anything is opened */
	bool left_out;	/* something was, because of the limit */
	uint64_t spent; /* bytes */
	uint64_t steps;
};

/* Subtracts `bytes` from what is left of the limit; false: too few are left, and none were
 * subtracted. */
bool symbolize_open_spend(struct symbolize_files *f, uint64_t bytes);

/* The same for steps. */
bool symbolize_open_step(struct symbolize_files *f, uint64_t steps);

/* A file with code or debug information: an open descriptor and what it is, or -1. */
int symbolize_open(struct symbolize_files *f, const char *path, struct stat *st);

enum symbolize_map { SYMBOLIZE_MAP_NONE, SYMBOLIZE_MAP_REFUSED, SYMBOLIZE_MAP_READ };

/* A map of generated code, as `*bytes` of text behind which lies a NUL, to be freed. Refused when
 * it is not `owner`'s, is no regular file, or was not written since `since_ns` (real time). */
enum symbolize_map symbolize_open_read_map(struct symbolize_files *f, const char *path, uid_t owner,
					   uint64_t since_ns, char **text, uint64_t *bytes);

/* A private file in memory, filled with zeroes: a descriptor, or -1. Also -1, and left out, where a
 * file may not be so large (RLIMIT_FSIZE, whose signal would end the process). */
int symbolize_open_memory(struct symbolize_files *f, uint64_t bytes);

/* Copies bytes of a file into such memory (`to`), at the same offset. False: the file ends before,
 * or out of memory. The caller has spent them. */
bool symbolize_open_copy(int from, int to, uint64_t offset, uint64_t bytes);

#endif
