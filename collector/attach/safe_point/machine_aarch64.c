// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "collector/attach/safe_point/safe_point_private.h"
#include "collector/attach/safe_point/threads.h"

/* mov x8, #139; svc #0 */
const uint8_t machine_restorer[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};
const size_t machine_restorer_bytes = sizeof(machine_restorer);

/* No thread is stopped here: attach.c. */
bool machine_registers(pid_t tid, struct safe_point_registers *r)
{
	(void)tid;
	(void)r;
	return false;
}

uint64_t machine_restarted(pid_t pid, uint64_t pc)
{
	(void)pid;
	(void)pc;
	return 0;
}

/* In the order of enum perf_event_arm_regs: x0 to x30, sp, pc. */
const uint64_t machine_sampled = (UINT64_C(1) << 33) - 1;

void machine_take_sampled(const uint64_t value[SAFE_POINT_SAMPLED], struct safe_point_registers *r)
{
	*r = (struct safe_point_registers){.pc = value[32]};
	memcpy(r->of, value, 32 * sizeof(*value));
}

/* bl; blr and its kinds that check a signature. */
bool machine_after_call(pid_t pid, uint64_t pc)
{
	uint32_t before;
	return memory_read(pid, pc - 4, &before, sizeof(before)) &&
	       (before >> 26 == 0x25 || (before & 0xfefff000) == 0xd63f0000);
}

/* Not known here: some waits of libc are taken for something else then. */
uint64_t machine_called(pid_t pid, uint64_t pc)
{
	(void)pid;
	(void)pc;
	return 0;
}

uint64_t machine_frame_bytes(pid_t pid, uint64_t function)
{
	(void)pid;
	(void)function;
	return 0;
}

/* struct ucontext lies behind a siginfo of 128 bytes; its registers behind a mask of as many, and
 * an address of fault. */
const uint16_t machine_context = 128, machine_saved_at = 184;
const uint8_t machine_saved[] = {0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 13, 14, 15,
				 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
