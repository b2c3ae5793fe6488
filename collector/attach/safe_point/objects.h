// SPDX-License-Identifier: GPL-3.0-or-later
/* The objects (program, libraries, vdso) that a process has mapped, read from its memory: what is
 * mapped counts, not what lies under the name meanwhile. An upgraded library, another mount
 * namespace and a stripped file are nothing special then. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_OBJECTS_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/machine/proc_maps.h"

enum safe_point_kind {
	SAFE_POINT_PLAIN,
	SAFE_POINT_PROGRAM,
	SAFE_POINT_LOADER,
	SAFE_POINT_LIBC,
	SAFE_POINT_PTHREAD, /* of its own before glibc 2.34 */
	SAFE_POINT_DL,	    /* the same */
	SAFE_POINT_OURS,
	SAFE_POINT_VDSO
};

/* What an exported function of libc means to a thread inside. */
enum safe_point_meaning {
	SAFE_POINT_NOTHING,
	SAFE_POINT_BLOCKS,    /* may block, and allocators call it as well */
	SAFE_POINT_WAITS,     /* may block for long, and allocators do not call it */
	SAFE_POINT_OUTERMOST, /* threads begin in it */
	SAFE_POINT_HOLDS,     /* may hold what dlopen wants */
	SAFE_POINT_ALLOCATES  /* the same: an allocator */
};

struct safe_point_symbol {
	uint64_t start, end;
	enum safe_point_meaning meaning;
};

#define SAFE_POINT_CODES     8
#define SAFE_POINT_SIGNATURE 1024

struct safe_point_object {
	enum safe_point_kind kind;
	uint64_t base, bias, end; /* end: of the last segment */
	struct {
		uint64_t start, end;
	} code[SAFE_POINT_CODES];
	size_t codes;
	bool allocator; /* it exports malloc, and is not libc */
	bool base_namespace;
	uint64_t symbols, strings, string_bytes, versions, gnu_hash, sysv_hash, soname, debug;
	/* Exported functions by address: of libc and libpthread only. */
	struct safe_point_symbol *function;
	size_t functions;
	/* The search table of .eh_frame_hdr: pairs of offsets from its address. */
	uint64_t frame_header;
	int32_t *frame;
	size_t frames;
	/* Its first bytes: another object in its place differs in them. */
	size_t signature_bytes;
	uint8_t signature[SAFE_POINT_SIGNATURE];
};

struct safe_point_objects {
	pid_t pid;
	struct safe_point_object *object; /* by address */
	size_t count;
};

/* All zero at first. False: no memory, or nothing could be read. */
bool objects_read(struct safe_point_objects *o, pid_t pid, const struct proc_map_list *maps);
void objects_free(struct safe_point_objects *o);

/* The object whose code holds an address; NULL: none. */
const struct safe_point_object *objects_find(const struct safe_point_objects *o, uint64_t at);

/* It is still what lies there. */
bool objects_same(const struct safe_point_objects *o, const struct safe_point_object *object);

#endif
