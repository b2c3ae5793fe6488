// SPDX-License-Identifier: Apache-2.0
/* What the tool and libscprof.so agree on where the process runs already.
 *
 * Two ways lead in. The tool makes a thread of the process call functions of its own process
 * (collector/attach): dlopen of libscprof.so, then scprof_attach_begin_1 and later
 * scprof_attach_end_1. Or the library was preloaded and is dormant (SCPROF_STOPPED=1): then the
 * tool writes an order into the page that the library mapped for that (struct scp_wake_page), and
 * the next wrapped call follows it.
 *
 * An order is a text of variables, as in an environment ("NAME=value", each NUL-terminated). It
 * stands in for the environment, of which nothing is read then. */
#ifndef SCPROF_ATTACH_H
#define SCPROF_ATTACH_H

#include <stdint.h>

#define SCP_ATTACH_MAGIC      "SCPATT1\n"
#define SCP_ATTACH_TEXT_BYTES 65536u /* of an order's text at most */
#define SCP_ATTACH_HOLD_MS    200u   /* that a call waits for the tool at its end, at most */

/* Where the process and the library in it stand. */
enum scp_attach_status {
	SCP_ATTACH_DORMANT = 0,	  /* nothing is recorded, nothing of ours is called */
	SCP_ATTACH_RECORDING = 1, /* by an order */
	SCP_ATTACH_PRELOADED = 2, /* records since the program's start, or was forbidden to */
	SCP_ATTACH_BUSY = 3	  /* an order is being followed; for good: its thread died of it */
};

/* Why the last order was not followed. */
enum scp_attach_problem {
	SCP_ATTACH_FINE = 0,
	SCP_ATTACH_BAD_ORDER = 1,
	SCP_ATTACH_NO_FILE = 2,	 /* of the profile: `error` says why */
	SCP_ATTACH_NO_STUBS = 3, /* the loader did not take the object of selected functions */
	SCP_ATTACH_NO_MEMORY = 4,
	SCP_ATTACH_NOT_NOW = 5,	   /* not in this status */
	SCP_ATTACH_NO_CLOCK = 6,   /* reading clocks is forbidden to the process */
	SCP_ATTACH_LOADER_BUSY = 7 /* another thread is inside dlopen */
};

/* Slots are the words that the dynamic linker binds calls and pointers by. */
struct scp_attach_slots {
	uint32_t written;  /* lead to us */
	uint32_t unbound;  /* of these: were not bound to the function yet (lazy binding) */
	uint32_t other;	   /* of a wrapped name, but lead elsewhere: left as they are */
	uint32_t failed;   /* could not be made writable */
	uint32_t put_back; /* of those written, at the end: as they were */
	uint32_t changed;  /* somebody wrote something else there meanwhile: left */
	uint32_t gone;	   /* their object was unloaded */
	uint32_t objects;  /* looked through */
	uint32_t kept;	   /* regions: lead to functions that do nothing while nothing records */
	uint32_t skipped;  /* unbound, and it cannot be told what they would be bound to: left */
};

/* Exported as scprof_attach_state_1. Written by the library alone; the tool reads it in the
 * process, and trusts nothing in it. */
struct scp_attach_state {
	char magic[8];
	uint32_t bytes;	  /* of this struct */
	uint32_t version; /* hash of SCPROF_VERSION: tool and library of different builds differ */
	uint32_t status;  /* enum scp_attach_status */
	uint32_t problem; /* enum scp_attach_problem of the last order */
	uint32_t error;	  /* errno to it */
	uint32_t unused;
	uint64_t area, area_bytes;     /* memory that the tool mapped for its calls: used again */
	struct scp_attach_slots slots; /* of the present, or latest, session */
	char profile[1024];	       /* its path, as the process sees it */
	uint64_t forked; /* 1: forked from one that is recorded; its end needs no lock of the loader
			  */
	uint64_t loader_lock; /* set by the tool for the next call of the two functions: where a
			       * uint32_t of the loader's is not 0 while a thread keeps its lock,
			       * which may wait for ours. 0: not known */
	uint64_t reserved[14];
};

/* The argument of scprof_attach_begin_1. Of scprof_attach_end_1 it is hold_ms, as uint32_t.
 *
 * Both wait at their end, when all is done and nothing held, for up to hold_ms in
 * ppoll(&scprof_attach_state_1, 0, ...): there a tool that traces takes the thread back, and need
 * not stop it at each system call to see the last one. 0: do not wait. */
struct scp_attach_order {
	char magic[8];
	uint32_t text_bytes;
	uint32_t hold_ms;
	uint64_t area, area_bytes; /* noted in the state */
	char text[];
};

#define SCP_WAKE_MAGIC	     "SCPWAK1\n"
#define SCP_WAKE_BYTES	     8192u
#define SCP_WAKE_TEXT_BYTES  4096u
#define SCP_WAKE_TARGETS_MAX 128u
#define SCP_WAKE_DIRECTORY   1024u

/* A file scprof.PROGRAM.PID.wake in SCPROF_OUT, which a dormant process and its forked children
 * map. The tool reads and writes it by pread and pwrite: its owner may cut it. While a tool that
 * woke somebody lives it holds a lock (flock) on it. */
struct scp_wake_page {
	char magic[8];
	uint32_t bytes;		/* SCP_WAKE_BYTES */
	uint32_t pid;		/* that made it */
	uint64_t process_start; /* its starttime, as in /proc/PID/stat */
	uint32_t count;		/* of targets; 0: all processes that map the page */
	uint32_t text_bytes;	/* of the order; 0: stop, and be dormant again */
	int32_t target[SCP_WAKE_TARGETS_MAX];
	uint64_t word; /* raised by each order when all else of it is written */
	/* Written by the processes: */
	uint32_t holders; /* that map the page and have not ended; the last one removes the file */
	uint32_t answer_pid; /* that followed an order last, */
	uint32_t problem;    /* enum scp_attach_problem of it */
	uint32_t unused;
	char directory[SCP_WAKE_DIRECTORY]; /* of the file, as the process that made it sees it */
	char reserved[4096 - 8 - 8 - 8 - 8 - 4 * SCP_WAKE_TARGETS_MAX - 8 - 16 -
		      SCP_WAKE_DIRECTORY];
	char text[SCP_WAKE_TEXT_BYTES];
};

_Static_assert(sizeof(struct scp_attach_slots) == 40, "attach slots");
_Static_assert(sizeof(struct scp_attach_state) == 1240, "attach state");
_Static_assert(sizeof(struct scp_attach_order) == 32, "attach order");
_Static_assert(sizeof(struct scp_wake_page) == SCP_WAKE_BYTES, "wake page");

#endif
