// SPDX-License-Identifier: GPL-3.0-or-later
/* One profile file as it lies on disk, checked; private to profile/. The file is copied into memory
 * with read(2), never mapped: a mapped file that somebody cuts short kills the reader with SIGBUS.
 * After profile_file_open every record in the lists is whole, its fields are in range, its strings
 * end, and what it refers to exists. A file that is still being written is read three times.
 * Records refer to records that were complete before them, so what was there at the first reading
 * (gaps, blocks) has its entries in the second, and those have their paths, functions and modules
 * in the third: no reference dangles, without stopping the writer. Paths that no entry names yet
 * may lack what they name: they go. The second copy then shows which records moved. */
#pragma once

#include "profile/profile.h"

/* Where a record lies. Sorted by (table, id, sub); the meaning of id and sub depends on the type
 * (struct record_kind). */
struct raw_ref {
	uint32_t table, id, sub;
	uint32_t at; /* in the file, in units of SCP_RECORD_ALIGN */
};

struct raw_list {
	struct raw_ref *ref;
	uint32_t count;
};

/* How far the chunks had been filled at an earlier reading. */
struct raw_mark {
	uint64_t offset, used;
};

struct raw_marks {
	struct raw_mark *mark; /* in the order of the file's regions */
	uint32_t count;
	bool all; /* the file is not being written: no limit */
};

#define RAW_TYPES (SCP_REC_SAMPLE + 1)

struct raw_file {
	const char *path;
	uint64_t most_bytes; /* that are read */
	int fd;
	bool live;	/* it may change while we read */
	uint32_t owner; /* user id of the file that was opened */
	uint8_t *image, *earlier;
	uint64_t image_bytes, earlier_bytes;
	struct raw_marks first, second;
	struct raw_list list[RAW_TYPES]; /* by enum scp_record_type */
};

/* Read and check raw->path, or raw->fd where that is not -1: it is closed then, too. Of *raw, only
 * these and most_bytes are set before. `links`: the path may end in a symbolic link. 0, or -1 with
 * *err and nothing to close. */
int profile_file_open(struct raw_file *raw, bool links, struct profile_error *err);
void profile_file_close(struct raw_file *raw);

static inline const struct scp_header *raw_header(const struct raw_file *raw)
{
	return (const struct scp_header *)(const void *)raw->image;
}

/* Is it a line of source code? */
static inline bool raw_frame_is_source(uint64_t frame)
{
	return SCP_FRAME_MODULE(frame) == SCP_FRAME_SOURCE;
}

/* How many frames stand in the record itself. */
static inline uint32_t raw_own_frames(const struct scp_path *p)
{
	return (uint32_t)p->frames - p->shared;
}

/* A function's whole name. */
static inline const char *raw_function_name(const struct scp_function *f)
{
	return f->rec.bytes > sizeof *f ? f->long_name : f->name;
}

static inline void *raw_record(const struct raw_file *raw, const struct raw_ref *ref)
{
	return raw->image + (uint64_t)ref->at * SCP_RECORD_ALIGN;
}

/* Index in the list, or PROF_NONE. */
uint32_t references_search(const struct raw_list *list, uint32_t table, uint32_t id, uint32_t sub);

/* The same. Numbers are given in order: mostly the place is where it would be in one table. */
static inline uint32_t raw_find(const struct raw_list *list, uint32_t table, uint32_t id,
				uint32_t sub)
{
	uint32_t at = list->count ? id - list->ref[0].id : 0;

	if (at < list->count && list->ref[at].table == table && list->ref[at].id == id &&
	    list->ref[at].sub == sub)
		return at;
	return list->count ? references_search(list, table, id, sub) : PROF_NONE;
}

int chunks_collect(struct raw_file *raw, struct profile_error *err);
int chunks_mark(const uint8_t *image, uint64_t bytes, struct raw_marks *marks);
/* When a live file is read three times: what refers to other records is taken as of an earlier
 * reading. */
enum raw_reading { RAW_LAST, RAW_FIRST, RAW_SECOND, RAW_READINGS };

/* What holds of all records of a type. A record is listed under a key (table, id, sub). */
struct record_kind {
	const char *plural;	/* for messages; NULL: several may have one key */
	uint32_t least;		/* bytes */
	uint32_t id_at, sub_at; /* where the key's parts lie in the record; 0: there are none */
	uint8_t optional;	/* the optional chunks in which all lie; 0: in others */
	uint8_t reading;	/* enum raw_reading */
	uint8_t names;		/* type of the record that the id names; 0: none, or itself */
	const char *who;	/* for messages: who names it */
	bool of_process;	/* they lie in chunks of the process, not of a table */
	bool from_1;		/* an id of 0 names none */
	/* What is wrong with the fields that need no other record: a text, or NULL where nothing
	 * is. No function: there is nothing to check. */
	const char *(*check)(const void *record);
};
extern const struct record_kind record_kinds[RAW_TYPES];

/* The 32 bits at an offset in a record; 0: there are none. */
static inline uint32_t raw_field(const struct scp_record *rec, uint32_t offset)
{
	return offset ? *(const uint32_t *)(const void *)((const uint8_t *)rec + offset) : 0;
}

/* Check one record's own fields and say under which key it is listed. */
int records_check(const char *path, const struct scp_record *rec, uint32_t table,
		  struct raw_ref *key, struct profile_error *err);
int references_check(struct raw_file *raw, struct profile_error *err);
void seqlock_snapshot_take(struct raw_file *raw);
/* After that: of the SLOWEST records, which are written over, leave those that are whole
 * and whose entry is known. */
int seqlock_snapshot_slowest_take(struct raw_file *raw, struct profile_error *err);

/* End of the last byte handed out in any region. */
uint64_t header_used_end(const struct scp_header *h);

static inline uint64_t raw_region_used(const struct scp_region *r)
{
	return r->used < r->bytes ? r->used : r->bytes;
}
