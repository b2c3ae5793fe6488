// SPDX-License-Identifier: GPL-3.0-or-later
/* The mappings of a process, from /proc/PID/maps. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct proc_mapping {
	uint64_t start, end, offset;
	unsigned major, minor; /* of the file's device */
	uint64_t inode;	       /* 0: no file */
	bool readable, writable, executable;
	bool deleted;		   /* the file has no name any more */
	char *path;		   /* in `line`; a file's, or "[stack]", or "" */
	char line[PATH_MAX + 128]; /* a longer line has no path */
};

/* NULL with errno. Close it with fclose(). */
FILE *proc_maps_open(pid_t pid);

/* The next mapping, by address. False: there is none, or it cannot be read: ferror() says so. A
 * process may have as many as it likes: who keeps them limits their number. */
bool proc_maps_next(FILE *maps, struct proc_mapping *m);

/* Bytes of a file's path without the " (deleted)" that the kernel adds once the file has gone. */
size_t proc_maps_path_bytes(const char *path);
/* What the process itself calls the file of such a path, below its root directory: after a chroot,
 * the kernel shows it from the root of the mount namespace, or from ours. Part of `path`. */
const char *proc_maps_own_path(pid_t pid, const char *path);

struct proc_map {
	uint64_t start, end, offset;
	uint64_t inode; /* 0: no file */
	bool readable, writable, executable;
	bool stack, heap, vdso;
};

struct proc_map_list {
	struct proc_map *map; /* by address */
	uint32_t count;
	uint64_t executable; /* hash of the executable files' mappings: another one is other code */
	uint64_t library;    /* the lowest address of that file; 0: it is not mapped */
};

/* Keep the present mappings instead of those held before (all zero at first). `library`: a file's
 * name without directories, or NULL. False: they cannot be read, or are too many; then there are
 * none. */
bool proc_maps_list(struct proc_map_list *l, pid_t pid, const char *library);
void proc_maps_free(struct proc_map_list *l);

/* The mapping that holds an address; NULL: none. */
const struct proc_map *proc_maps_find(const struct proc_map_list *l, uint64_t at);
