// SPDX-License-Identifier: GPL-3.0-or-later
/* The profile files of a run's directory, and which of their processes live. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* In a run's directory while it is measured until something is known: how far that is, as a line of
 * at most so many bytes. */
#define RUN_UNTIL_FILE	"until"
#define RUN_UNTIL_BYTES 200

struct run_file {
	char *name;   /* in the directory */
	bool started; /* false: its process died before the file said anything */
	/* from the header, unchecked beyond the magic; zero unless started: */
	pid_t pid;
	uint64_t process_start, start_mono_ns;
	uint32_t end_state;
	char comm[16];
};

/* All files by the name scprof.*.scp, in order of their processes' starts; 0, or -1 with errno.
 * Symbolic links and special files are left out. */
int run_files_list(const char *directory, struct run_file **files, size_t *count);
void run_files_free(struct run_file *files, size_t count);

/* starttime of /proc/PID/stat, and *state its state letter, where not NULL: X, too, once it has
 * given back its memory, and will soon be a zombie, and for threads of the kernel; 0: there is no
 * such process. */
uint64_t run_files_process_start(pid_t pid, char *state);

/* Is the process that wrote it still running, and recording? Its start time distinguishes it from
 * another process with the same pid. All processes are looked at where that may be one in another
 * pid namespace; but for the second. */
bool run_files_is_live(const struct run_file *file);
bool run_files_is_live_here(const struct run_file *file);
/* The same of an open file. */
bool run_files_is_written(int fd);

/* Who follows them needs a descriptor for each: this process, and what it starts from now on, may
 * have as many as the hard limit allows. */
void run_files_raise_limit(void);
