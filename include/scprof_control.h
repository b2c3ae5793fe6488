// SPDX-License-Identifier: Apache-2.0
/* What `scprof run` hands to libscprof.so besides the environment: a page that the library maps,
 * and that starts and stops recording in all processes of a run. Little-endian, naturally aligned.
 */
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

/* What `scprof run --stopped` sets SCPROF_STOPPED to, or to the path of this: what processes say
 * that start and stop recording themselves. Change n, from 1 on, lies at n % SCP_CONTROL_CHANGES;
 * `number` becomes n when the rest is there. Written by the processes, read by the tool. */
#define SCP_CONTROL_STOPPED_RUN	  "run"
#define SCP_CONTROL_CHANGES_MAGIC "SCPCHG1\n"
#define SCP_CONTROL_CHANGES	  255u

struct scp_control_changes {
	char magic[8];
	uint64_t count;
	struct scp_control_change {
		uint64_t at_ns;		 /* CLOCK_MONOTONIC_RAW */
		uint32_t number, pid_on; /* twice the pid; 1 more: it records from now on */
	} change[SCP_CONTROL_CHANGES];
};

_Static_assert(sizeof(struct scp_control_page) == 128, "control page");
_Static_assert(sizeof(struct scp_control_changes) == SCP_CONTROL_BYTES, "page of changes");

#endif
