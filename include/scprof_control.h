// SPDX-License-Identifier: Apache-2.0
/* What `scprof run` hands to libscprof.so besides the environment: two files that the library maps,
 * a page that starts and stops recording in all processes of a run, and the places in programs
 * and libraries that belong to the functions of --below. Little-endian, naturally aligned. */
#ifndef SCPROF_CONTROL_H
#define SCPROF_CONTROL_H

#include <stdint.h>

#define SCP_CONTROL_MAGIC "SCPCTL1\n"
#define SCP_CONTROL_BYTES 4096u

/* Written by the tool alone. `word` is what targets compare: bit 0 says whether to record, and the
 * rest of its lower half is a number that every change raises, so that none goes unseen. The upper
 * half is a robust futex (set_robust_list(2)) of the tool's main thread: when that is killed the
 * kernel sets SCP_CONTROL_TOOL_DIED. `seq` is odd while the other fields change. Instants:
 * CLOCK_MONOTONIC_RAW. */
#define SCP_CONTROL_TOOL_DIED (UINT64_C(0x40000000) /* FUTEX_OWNER_DIED */ << 32)

struct scp_control_page {
	char magic[8];
	uint32_t seq;
	uint32_t reserved0;
	uint64_t on_ns;	   /* recorded before `since_ns` */
	uint64_t since_ns; /* of the last change */
	uint64_t reserved[4];
	uint64_t word;
	uint64_t reserved1[7];
};

/* What `scprof run --stopped` sets SCPROF_STOPPED to. */
#define SCP_CONTROL_STOPPED_RUN "run"

#define SCP_BELOW_MAGIC "SCPBEL1\n"

/* One program or library; known by its build-id where it has one, else by its path. */
struct scp_below_object {
	uint32_t build_id_bytes;
	uint8_t build_id[32];
	uint32_t first, count; /* of its ranges */
	uint32_t path;	       /* offset of the text in the file, NUL-terminated */
};

/* [start, end) in the object's own address space (address - load bias). */
struct scp_below_range {
	uint64_t start, end;
};

/* Header, objects, ranges (of each object sorted, apart from one another), texts. */
struct scp_below_file {
	char magic[8];
	uint64_t bytes; /* of all */
	uint32_t objects, ranges;
	uint32_t names; /* offset of a text: patterns that may mean functions of source files, a
			   line each; 0: none */
	uint32_t reserved;
};

#define SCP_BELOW_NAMES_BYTES 8192u /* of that text at most, with its NUL */

_Static_assert(sizeof(struct scp_control_page) == 128, "control page");
_Static_assert(sizeof(struct scp_below_object) == 48, "object of --below");
_Static_assert(sizeof(struct scp_below_file) == 32, "file of --below");

#endif
