// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "collector/attach/safe_point/safe_point_private.h"
#include "collector/attach/safe_point/threads.h"

/* mov $15,%rax; syscall */
const uint8_t machine_restorer[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
const size_t machine_restorer_bytes = sizeof(machine_restorer);

bool machine_registers(pid_t tid, struct safe_point_registers *r)
{
	struct user_regs_struct u;
	uint8_t before[2] = {0, 0};
	if (ptrace(PTRACE_GETREGS, tid, NULL, &u) != 0)
		return false;
	uint64_t of[] = {u.rax, u.rdx, u.rcx, u.rbx, u.rsi, u.rdi, u.rbp, u.rsp,
			 u.r8,	u.r9,  u.r10, u.r11, u.r12, u.r13, u.r14, u.r15};
	*r = (struct safe_point_registers){.pc = u.rip};
	memcpy(r->of, of, sizeof(of));
	r->system_call = (int64_t)u.orig_rax >= 0 &&
			 memory_read(tid, u.rip - 2, before, sizeof(before)) && before[0] == 0x0f &&
			 before[1] == 0x05;
	return u.cs == 0x33; /* 64-bit code */
}

/* Mostly it stands in the instructions before (mov $NUMBER,%eax). */
uint64_t machine_restarted(pid_t pid, uint64_t pc)
{
	static const uint8_t numbers[] = {SYS_poll, SYS_nanosleep, SYS_futex, SYS_clock_nanosleep};
	uint8_t code[32];
	const size_t before = sizeof(code) - 2;

	if (!memory_read(pid, pc - sizeof(code), code, sizeof(code)))
		return 0;
	for (size_t at = before - 5; at > 0; at--)
		for (size_t i = 0; i < sizeof(numbers); i++)
			if (memcmp(code + at, (uint8_t[]){0xb8, numbers[i], 0, 0, 0}, 5) == 0)
				return numbers[i];
	return 0;
}

/* In the order of enum perf_event_x86_regs: ax, bx, cx, dx, si, di, bp, sp, ip, r8 to r15. */
const uint64_t machine_sampled = 0xff01ff;

void machine_take_sampled(const uint64_t value[SAFE_POINT_SAMPLED], struct safe_point_registers *r)
{
	static const uint8_t to[] = {0, 3, 2, 1, 4, 5, 6, 7};
	*r = (struct safe_point_registers){.pc = value[8]};
	for (unsigned i = 0; i < sizeof(to); i++) {
		r->of[to[i]] = value[i];
		r->of[8 + i] = value[9 + i];
	}
}

/* call rel32; or call by a register or memory: ff /2, of 2, 3, 4, 6 or 7 bytes. */
bool machine_after_call(pid_t pid, uint64_t pc)
{
	static const uint8_t lengths[] = {2, 3, 4, 6, 7};
	uint8_t before[8] = {0};
	size_t bytes = sizeof(before), page = pc % 4096;
	if (page > 0 && page < bytes) /* what lies before the page may be nothing */
		bytes = page;
	if (!memory_read(pid, pc - bytes, before + sizeof(before) - bytes, bytes))
		return false;
	if (before[3] == 0xe8)
		return true;
	for (size_t i = 0; i < sizeof(lengths); i++) {
		const uint8_t *code = before + sizeof(before) - lengths[i];
		if (code[0] == 0xff && (code[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

/* call rel32 to a stub `jmp *slot(%rip)`, perhaps behind endbr64 and with a prefix; or
 * call *slot(%rip). */
uint64_t machine_called(pid_t pid, uint64_t pc)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t call[6], stub[16], *jump = stub;
	int32_t offset;
	uint64_t slot, target = 0;
	if (!memory_read(pid, pc - sizeof(call), call, sizeof(call)))
		return 0;
	memcpy(&offset, call + 2, sizeof(offset));
	slot = pc + (uint64_t)(int64_t)offset;
	if (call[0] != 0xff || call[1] != 0x15) {
		uint64_t at = slot;
		if (call[1] != 0xe8 || !memory_read(pid, at, stub, sizeof(stub)))
			return 0;
		jump += memcmp(jump, endbr, sizeof(endbr)) == 0 ? sizeof(endbr) : 0;
		jump += *jump == 0xf2; /* bnd */
		if (jump[0] != 0xff || jump[1] != 0x25)
			return at;
		memcpy(&offset, jump + 2, sizeof(offset));
		slot = at + (uint64_t)(jump - stub) + 6 + (uint64_t)(int64_t)offset;
	}
	return memory_read(pid, slot, &target, sizeof(target)) ? target : 0;
}

/* The first sub $BYTES,%rsp, of 1 or 4 bytes. */
uint64_t machine_frame_bytes(pid_t pid, uint64_t function)
{
	uint8_t code[64];
	int32_t bytes;
	if (!memory_read(pid, function, code, sizeof(code)))
		return 0;
	for (size_t i = 0; i + 7 <= sizeof(code); i++) {
		if (code[i] != 0x48 || code[i + 2] != 0xec)
			continue;
		memcpy(&bytes, code + i + 3, sizeof(bytes));
		if (code[i + 1] == 0x81 && bytes > 0)
			return (uint64_t)bytes;
		if (code[i + 1] == 0x83 && code[i + 3] < 0x80)
			return code[i + 3];
	}
	return 0;
}

/* struct ucontext lies where the stack pointer is when the handler has returned. */
const uint16_t machine_context = 0, machine_saved_at = 40;
const uint8_t machine_saved[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};
