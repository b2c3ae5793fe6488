// SPDX-License-Identifier: GPL-3.0-or-later
#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "collector/attach/safe_point/safe_point_private.h"

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

/* mov x8, #139; svc #0 */
const uint8_t machine_restorer[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};
const size_t machine_restorer_bytes = sizeof(machine_restorer);

bool machine_registers(pid_t tid, struct safe_point_registers *r)
{
	struct user_regs_struct u;
	int call = -1;
	uint32_t before = 0;
	struct iovec all = {.iov_base = &u, .iov_len = sizeof(u)};
	struct iovec number = {.iov_base = &call, .iov_len = sizeof(call)};
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &all) != 0 || all.iov_len != sizeof(u))
		return false;
	*r = (struct safe_point_registers){.pc = u.pc};
	memcpy(r->of, u.regs, sizeof(u.regs));
	r->of[ARCH_SP] = u.sp;
	r->system_call = ptrace(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &number) == 0 &&
			 call >= 0 && memory_read(tid, u.pc - 4, &before, sizeof(before)) &&
			 before == 0xd4000001;
	return (u.pstate & 0x10) == 0; /* 64-bit code */
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

/* A siginfo of 128 bytes, then struct ucontext: flags, link, the alternate stack (start, flags,
 * bytes), a mask of 128 bytes, and the registers behind an address of fault. */
bool machine_signal(struct safe_point_window *w, uint64_t sp, struct safe_point_registers *r,
		    struct safe_point_alternate *alternate)
{
	uint64_t context = sp + 128;
	struct safe_point_registers before = {.pc = 0};
	if (!memory_word(w, context + 16, &alternate->start) ||
	    !memory_word(w, context + 32, &alternate->bytes))
		return false;
	for (unsigned i = 0; i <= ARCH_SP; i++)
		if (!memory_word(w, context + 184 + 8 * i, &before.of[i]))
			return false;
	if (!memory_word(w, context + 184 + 8 * 32, &before.pc))
		return false;
	*r = before;
	return true;
}
