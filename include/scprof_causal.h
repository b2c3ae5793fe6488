// SPDX-License-Identifier: Apache-2.0
/* Delays at call sites: a page that the tool and all processes of a run map and write
 * (SCPROF_CAUSAL names the file). The library enters the sites that it meets, the tool sets how
 * long each of their calls is delayed, and the library counts what it did. Little-endian,
 * naturally aligned.
 *
 * Neither side trusts the other: the page may hold anything, and each reads only fields of its
 * own kind, checks indexes, and bounds a delay by limits of its own.
 *
 * Durations and instants are in units of the processor's counter (`rdtsc`, `cntvct_el0`). */
#ifndef SCPROF_CAUSAL_H
#define SCPROF_CAUSAL_H

#include <stdint.h>

#define SCP_CAUSAL_MAGIC      "SCPCAU2\n"
#define SCP_CAUSAL_SITES      4096u /* a power of two: an open hash table, by linear probing */
#define SCP_CAUSAL_SLOTS      64u   /* sites that are counted at one time; slot 0 is none */
#define SCP_CAUSAL_THREADS    512u  /* blocks of counts; the last is shared by whoever finds none */
#define SCP_CAUSAL_NAME_BYTES 1024u

enum scp_causal_by { SCP_CAUSAL_BY_PATH = 0, SCP_CAUSAL_BY_SITE, SCP_CAUSAL_BY_FUNCTION };

/* Where in a call its delay lies. AUTO: at the end of functions that wait for others (poll, accept,
 * recv, read, and their like), else at the beginning. */
enum scp_causal_place { SCP_CAUSAL_AUTO = 0, SCP_CAUSAL_BEGIN, SCP_CAUSAL_END };

#define SCP_CAUSAL_IN_HANDLER 1u /* a signal handler is on the path: never delayed */

/* A site. Entered by a target: `key` by compare-and-swap (0: free), then the fields up to `flags`,
 * then `known` = 1. Equal keys are one site, in whatever process: the key is made of the function's
 * name and of frames as module and offset. */
struct scp_causal_site {
	uint64_t key;
	uint32_t known;
	uint32_t pid;	   /* that entered it; what follows is of its profile: */
	uint32_t path;	   /* id of the path's record */
	uint32_t function; /* id of the function's record */
	uint32_t table;	   /* in which the path's record is */
	uint32_t flags;	   /* SCP_CAUSAL_* */
	/* The tool's: */
	uint32_t slot;	/* 1 .. SCP_CAUSAL_SLOTS - 1: its calls are counted there; 0: not counted */
	uint32_t delay; /* of each call; 0: none */
	uint64_t reserved[3];
};

/* Of calls at the site in a slot; they only grow. */
struct scp_causal_count {
	uint64_t calls;
	uint64_t delayed; /* calls that were delayed */
	uint64_t units;	  /* for how long in all; of an interrupted delay no more than was asked */
	uint64_t busy;	  /* of all that time, in which the thread had a CPU */
};

/* Progress. */
struct scp_causal_progress {
	uint64_t completed;
	uint64_t units; /* of those that have a duration: in all, with delays inside */
};

/* What one thread counts. It takes a free block (owner 0) by compare-and-swap and gives it back
 * when it ends; where none is free, it takes that of a thread that is gone. Counts stay. */
struct scp_causal_thread {
	uint64_t owner;	  /* pid << 32 | tid; 0: free */
	uint64_t skipped; /* delays that were not made: a limit, a handler, a nested one */
	struct scp_causal_progress progress;
	uint64_t reserved[4];
	struct scp_causal_count slot[SCP_CAUSAL_SLOTS];
};

struct scp_causal_page {
	char magic[8];
	uint64_t bytes; /* of the whole page */
	uint32_t by;	/* enum scp_causal_by */
	uint32_t place; /* enum scp_causal_place */
	uint32_t reserved1;
	uint32_t window;       /* number of the present window */
	uint64_t expires;      /* no delay from then on: the tool moves it on as long as it lives */
	uint64_t limit;	       /* a thread is delayed for no longer than this in one window */
	uint64_t longest;      /* no delay is longer */
	uint32_t sites;	       /* entered so far; may be behind */
	uint32_t lost;	       /* sites that found no room */
	uint32_t threads_lost; /* threads that share the last block */
	uint32_t reserved0;
	uint64_t reserved[7];
	char progress[SCP_CAUSAL_NAME_BYTES]; /* what is: NAME[@OUTCOME]; "": nothing */
	struct scp_causal_site site[SCP_CAUSAL_SITES];
	struct scp_causal_thread thread[SCP_CAUSAL_THREADS];
};

_Static_assert(sizeof(struct scp_causal_site) == 64, "a cache line");
_Static_assert(sizeof(struct scp_causal_thread) % 64 == 0, "whole cache lines");
_Static_assert(sizeof(struct scp_causal_page) % 64 == 0, "whole cache lines");

#endif
