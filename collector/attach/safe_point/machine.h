// SPDX-License-Identifier: GPL-3.0-or-later
/* What following a stack needs to know of the processor: one file an architecture. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_MACHINE_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attach/safe_point/memory.h"
#include "preload/unwind/unwind.h"

struct safe_point_registers {
	uint64_t of[ARCH_REGS]; /* by DWARF's numbers */
	uint64_t pc;
	bool system_call; /* stopped in one, or at its end */
};

/* Of a thread that is stopped by ptrace. */
bool machine_registers(pid_t tid, struct safe_point_registers *r);

/* Code that lies before an address: what a call leaves as return address follows a call. */
bool machine_after_call(pid_t pid, uint64_t pc);

/* The function that was called before an address, also by a stub of the linker's. 0: not known. */
uint64_t machine_called(pid_t pid, uint64_t pc);

/* The code by which signal handlers return. */
#define SAFE_POINT_RESTORER_MOST 16
extern const uint8_t machine_restorer[];
extern const size_t machine_restorer_bytes;

struct safe_point_alternate {
	uint64_t start, bytes; /* of the alternate signal stack; bytes 0: there is none */
};

/* From a frame that returns by the restorer, of that stack pointer, to what the signal interrupted.
 */
bool machine_signal(struct safe_point_window *w, uint64_t sp, struct safe_point_registers *r,
		    struct safe_point_alternate *alternate);

#endif
