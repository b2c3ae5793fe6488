// SPDX-License-Identifier: GPL-3.0-or-later
/* The extended state lies in the frame in the form of XSAVE, as ptrace gives it. Its size there is
 * what the kernel expects of this thread: without the matrix registers' data unless the thread has
 * asked for them. Where that is not known (they were used, and are empty now) the second magic
 * word is written at the end of both sizes: what lies between is empty then. */
#include "collector/attach/remote/remote.h"

#include <cpuid.h>
#include <errno.h>
#include <string.h>

#include "collector/machine/kernel_numbers.h"

#define MAGIC_1		0x46505853u
#define MAGIC_2		0x46505845u
#define SOFTWARE_BYTES	464 /* offset in the legacy area: what the kernel says of the rest */
#define HEADER_BYTES	512 /* offset of the mask of components that are not empty */
#define LEGACY_BYTES	576
#define TILE_DATA	(1ull << 18)
#define PROTECTION_KEYS (1ull << 9)
#define COMPONENTS	63

/* uc_flags */
#define HAS_XSTATE 0x1
#define HAS_SS	   0x2
#define STRICT_SS  0x4

/* No mode of the alternate signal stack: rt_sigreturn leaves the stack as it is. */
#define STACK_AS_IT_IS 7u

struct frame {
	uint64_t restorer;
	uint64_t flags, link;
	uint64_t stack_at;
	uint32_t stack_flags, pad;
	uint64_t stack_bytes;
	uint64_t registers[18]; /* r8 to r15, di, si, bp, bx, dx, ax, cx, sp, ip, eflags */
	uint16_t cs, gs, fs, ss;
	uint64_t err, trap, old_mask, cr2, fp, reserved[8];
	uint64_t mask;
	uint8_t info[128];
};

_Static_assert(sizeof(struct frame) == 440, "rt_sigframe");

static const uint64_t restart_codes[] = {512, 513, 514, 516};

static uint64_t word_at(const uint8_t *at)
{
	uint64_t w;

	memcpy(&w, at, sizeof(w));
	return w;
}

/* Bytes of the components in `mask`, in the standard form. */
static size_t bytes_of(uint64_t mask, size_t limit)
{
	size_t bytes = LEGACY_BYTES;
	uint32_t size, offset, c, d;

	for (uint32_t i = 2; i < COMPONENTS; i++) {
		if (!(mask >> i & 1) || !__get_cpuid_count(0xd, i, &size, &offset, &c, &d))
			continue;
		if (bytes < offset + size)
			bytes = offset + size;
	}
	return bytes < limit ? bytes : limit;
}

static bool has_xstate(const struct sigframe_state *s)
{
	return s->fp && s->fp_bytes > LEGACY_BYTES;
}

/* Components that are part of the thread's state; *bytes: in the standard form. */
static uint64_t features_of(const struct sigframe_state *s, size_t *bytes)
{
	uint64_t features = word_at(s->fp + SOFTWARE_BYTES); /* ptrace writes XCR0 there */

	if (!(word_at(s->fp + HEADER_BYTES) & TILE_DATA))
		features &= ~TILE_DATA;
	*bytes = bytes_of(features, s->fp_bytes);
	return features;
}

size_t sigframe_bytes(const struct sigframe_state *s)
{
	return sizeof(struct frame) + (s->fp ? s->fp_bytes + sizeof(uint32_t) + 64 : 0) + 32;
}

static void write_fp(const struct sigframe_state *s, uint8_t *to)
{
	uint32_t magic = MAGIC_2, words[12] = {MAGIC_1};
	size_t bytes;

	memcpy(to, s->fp, s->fp_bytes);
	if (!has_xstate(s))
		return;
	uint64_t features = features_of(s, &bytes);
	words[1] = (uint32_t)(bytes + sizeof(magic));
	memcpy(words + 2, &features, sizeof(features));
	words[4] = (uint32_t)bytes;
	memcpy(to + SOFTWARE_BYTES, words, sizeof(words));
	memcpy(to + s->fp_bytes, &magic, sizeof(magic));
	memcpy(to + bytes, &magic, sizeof(magic));
}

static void write_registers(const struct user_regs_struct *r, struct frame *f)
{
	const uint64_t all[] = {r->r8,	r->r9,	r->r10, r->r11, r->r12, r->r13,
				r->r14, r->r15, r->rdi, r->rsi, r->rbp, r->rbx,
				r->rdx, r->rax, r->rcx, r->rsp, r->rip, r->eflags};

	_Static_assert(sizeof(all) == sizeof(f->registers), "all of them");
	memcpy(f->registers, all, sizeof(all));
	f->cs = (uint16_t)r->cs;
	f->ss = (uint16_t)r->ss;
}

uint64_t sigframe_build(const struct sigframe_state *s, uint64_t restorer, uint64_t top,
			uint8_t *to)
{
	uint64_t fp = top, at;
	struct frame f = {.restorer = restorer, .flags = HAS_SS | STRICT_SS, .mask = s->mask};

	if (s->fp)
		fp = (top - s->fp_bytes - sizeof(uint32_t)) & ~63ull;
	at = ((fp - sizeof(f)) & ~15ull) - 8;
	memset(to, 0, top - at);
	if (s->fp) {
		write_fp(s, to + (fp - at));
		f.fp = fp;
		f.flags |= has_xstate(s) ? HAS_XSTATE : 0;
	}
	f.stack_flags = STACK_AS_IT_IS;
	write_registers(&s->regs, &f);
	memcpy(to, &f, sizeof(f));
	return at;
}

static bool interrupted(const struct user_regs_struct *regs, uint64_t code)
{
	return (int64_t)regs->orig_rax >= 0 && regs->rax == -code;
}

/* Those of signal(7) that fail with EINTR after a stop; those that do with a time limit on the
 * socket; and those that do where the kernel cannot write the rest of their limit (it is read-only,
 * or STICKY_TIMEOUTS is set). None of them has done anything then. */
static const uint16_t can_be_made_again[] = {
	SYS_epoll_wait,	  SYS_epoll_pwait,   SYS_epoll_pwait2,
	SYS_semop,	  SYS_semtimedop,    SYS_rt_sigtimedwait,
	SYS_io_getevents, SYS_io_pgetevents, SYS_io_uring_enter,
	SYS_read,	  SYS_readv,	     SYS_write,
	SYS_writev,	  SYS_recvfrom,	     SYS_recvmsg,
	SYS_recvmmsg,	  SYS_sendto,	     SYS_sendmsg,
	SYS_sendmmsg,	  SYS_accept,	     SYS_accept4,
	SYS_connect,	  SYS_msgsnd,	     SYS_msgrcv,
	SYS_sendfile,	  SYS_splice,	     SYS_fallocate,
	SYS_pread64,	  SYS_preadv,	     SYS_preadv2,
	SYS_pwrite64,	  SYS_pwritev,	     SYS_pwritev2,
	SYS_select,	  SYS_pselect6,	     SYS_ppoll};

bool sigframe_restart_all(struct user_regs_struct *regs)
{
	const size_t count = sizeof(can_be_made_again) / sizeof(can_be_made_again[0]);
	size_t i = 0;

	while (i < count && can_be_made_again[i] != regs->orig_rax)
		i++;
	if (i == count || !interrupted(regs, EINTR))
		return false;
	regs->rax = -(uint64_t)514; /* ERESTARTNOHAND: EINTR for a handler only */
	return true;
}

void sigframe_redo_call(struct user_regs_struct *regs)
{
	for (size_t i = 0; i < sizeof(restart_codes) / sizeof(restart_codes[0]); i++) {
		if (!interrupted(regs, restart_codes[i]))
			continue;
		regs->rax = regs->orig_rax;
		regs->rip -= 2; /* the bytes of `syscall` */
		return;
	}
}

void sigframe_plain_fp(uint8_t *fp, size_t bytes)
{
	uint16_t x87 = 0x37f;
	uint32_t mxcsr = 0x1f80;

	if (bytes < HEADER_BYTES)
		return;
	memset(fp, 0, SOFTWARE_BYTES);
	memcpy(fp, &x87, sizeof(x87));
	memcpy(fp + 24, &mxcsr, sizeof(mxcsr));
	if (bytes <= LEGACY_BYTES)
		return;
	uint64_t kept = (word_at(fp + HEADER_BYTES) & PROTECTION_KEYS) | 3;
	memcpy(fp + HEADER_BYTES, &kept, sizeof(kept));
}
