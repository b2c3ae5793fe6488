// SPDX-License-Identifier: Apache-2.0
/* The profile file as the writer sees it: a shared mapping that grows by regions.
 * What is touched was reserved on disk before, by region or by chunk (a write into a hole on a
 * full disk is a SIGBUS in the target). It stays open through no descriptor.
 *
 * Another process may write anything into the file at any time. So what decides an address, an
 * index, a size or how often a loop runs is kept in private memory, and never read back from it.
 *
 * Thread rules: any thread may allocate; losers of a race to grow get NULL and
 * are expected to count what they could not store. Nothing here waits. */
#pragma once

#include "include/scprof_format.h"
#include "preload/system/util.h"

#define FILE_PATH_MAX 1024u

struct file_region {
	uint8_t *at;
	uint64_t offset, bytes, used; /* as struct scp_region */
};

struct profile_file {
	struct scp_header *header; /* NULL: no file */
	struct file_region region[SCP_MAX_REGIONS];
	uint32_t regions, tables; /* as region_count and table_count of the header */
	uint32_t pid;		  /* whose it is */
	bool sparse;		  /* a chunk's memory is made when it begins, else a region's */
	uint32_t growing;	  /* a thread is adding a region */
	uint32_t backoff;	  /* requests to let pass before growing is tried again */
	uint32_t failures;
	int fd; /* until the file has its name; else -1 */
	uint64_t device, inode;
	uint64_t ended_ns; /* when its session ended; 0: not yet */
	char path[FILE_PATH_MAX];
};

/* The name that a file has until it is complete: readers must not meet it before. The second is
 * tried where the first fails. */
enum file_birth {
	FILE_TEMPORARY, /* hidden: .scprof.NAME.PID[.K].new */
	FILE_NAMED,	/* it has its name at once: a filter may kill for the calls of the others */
	FILE_BIRTHS
};

struct file_wish {
	enum file_birth birth;
	const char *directory, *name;
	int pid;
	const char *suffix; /* NULL: ".scp" */
};

/* The first to be tried in this process. */
HIDDEN enum file_birth file_name_first_birth(void);

/* Create a file with room for `bytes`. 0 or -errno. It is to be filled, and then... */
HIDDEN int file_create(struct profile_file *f, const struct file_wish *w, uint64_t bytes);
/* ...to get its name, DIRECTORY/scprof.NAME.PID[.K].scp: 0 or -errno, or... */
HIDDEN int file_name_give_name(struct profile_file *f, const struct file_wish *w);
/* ...to be no more. */
HIDDEN void file_abandon(struct profile_file *f);

/* Between file.c and file_name.c. A descriptor, or -errno; and: 0, or -errno where it is not of
 * this file. */
HIDDEN int file_name_open_new(struct profile_file *f, const struct file_wish *w);
HIDDEN int file_name_identify(struct profile_file *f, int fd);

/* A chunk that records are put into, by one thread at a time. All 0: there is none. */
struct file_chunk {
	struct scp_chunk *chunk;
	uint64_t bytes, used; /* as there */
	/* A record that is being published (NULL: none), and what is to be where if it counts. */
	const struct scp_record *named;
	const void *named_at, *named_by;
};

/* Make `c` a chunk of `bytes` (rounded up to SCP_GRANULE) with its header filled; false where the
 * file cannot grow (counted in losses): it is what it was. */
HIDDEN bool file_chunk(struct profile_file *f, struct file_chunk *c, uint64_t bytes, uint32_t type,
		       uint32_t table);

/* The same for an optional chunk, which readers may skip: one granule. */
HIDDEN bool file_optional_chunk(struct profile_file *f, struct file_chunk *c, uint32_t type,
				uint32_t table);

/* The file may not be opened again from now on: lengthen it, where that takes no memory. */
HIDDEN void file_keep_room(struct profile_file *f);

/* No system call can be made from now on: make the memory of all chunks that there is room for. */
HIDDEN void file_fill(struct profile_file *f);

/* Where the next record of `bytes` lies; NULL: there is no room. */
static inline void *file_next_record(const struct file_chunk *c, uint64_t bytes)
{
	return c->used + bytes <= c->bytes ? (uint8_t *)c->chunk + c->used : NULL;
}

/* It is complete. */
static inline void file_publish_record(struct file_chunk *c, uint64_t bytes)
{
	publish_barrier();
	c->used += bytes;
	__atomic_store_n(&c->chunk->used, c->used, __ATOMIC_RELEASE);
}

/* A handler left while a record was published: it counts if it was in its place, `named_at`. Before
 * the next record. */
static inline void file_settle_record(struct file_chunk *c)
{
	const void *there;
	if (likely(!c->named))
		return;
	__builtin_memcpy(&there, c->named_at, sizeof there);
	if (there == c->named_by && file_next_record(c, c->named->bytes) == c->named)
		file_publish_record(c, c->named->bytes);
	c->named = NULL;
}

/* It is complete, and `place`, a pointer, is `value` from now on. Wherever a handler leaves for
 * good, it is not made twice: if `place` has its value it counts, at the latest before the next
 * record. */
#define file_publish_record_at(c, record, place, value)                                            \
	do {                                                                                       \
		(c)->named_at = &(place);                                                          \
		(c)->named_by = (value);                                                           \
		compiler_barrier();                                                                \
		(c)->named = &(record)->rec;                                                       \
		compiler_barrier();                                                                \
		(place) = (value);                                                                 \
		compiler_barrier();                                                                \
		file_publish_record(c, (c)->named->bytes);                                         \
		compiler_barrier();                                                                \
		(c)->named = NULL;                                                                 \
	} while (0)

/* The file stays as it is, and the first `kept` bytes where they are. */
HIDDEN void file_unmap(struct profile_file *f, uint64_t kept);

/* Likewise, but where its header and the records of functions were is memory of nobody's from now
 * on: a thread that was interrupted may yet count there. Its address; NULL: it could not be had. */
#define FILE_LEFT_BYTES (128u << 10)
HIDDEN void *file_leave_memory(struct profile_file *f);

/* 0, or -errno where a file may not be so large: the kernel would send SIGXFSZ, which is not for us
 * to cause (RLIMIT_FSIZE). */
HIDDEN int file_check_size(uint64_t bytes);

/* Could `bytes` more of address space be taken without starving a program that
 * limits it? True where there is no limit. */
HIDDEN bool file_address_space_allows(uint64_t bytes);
/* They are not taken, or no longer. */
HIDDEN void file_address_space_return(uint64_t bytes);
