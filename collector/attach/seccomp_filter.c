// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/seccomp_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "collector/machine/kernel_file.h"
#include "collector/machine/proc_status.h"
#include "profile/base/error.h"

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define MOST_FILTERS	  512	/* the kernel takes 32768 instructions in all */
#define MOST_INSTRUCTIONS 32768 /* MAX_INSNS_PER_PATH */
#define SOMEWHERE	  UINT64_C(0x7f2000001000)
#define CAN_ADMIN	  21 /* CAP_SYS_ADMIN */

struct machine {
	uint32_t a, x, word[BPF_MEMWORDS];
	bool valid;
};

static uint32_t compute(struct machine *m, uint16_t code, uint32_t k)
{
	uint32_t by = BPF_SRC(code) == BPF_X ? m->x : k;

	switch (BPF_OP(code)) {
	case BPF_ADD:
		return m->a + by;
	case BPF_SUB:
		return m->a - by;
	case BPF_MUL:
		return m->a * by;
	case BPF_DIV:
		m->valid = m->valid && by;
		return by ? m->a / by : 0;
	case BPF_OR:
		return m->a | by;
	case BPF_AND:
		return m->a & by;
	case BPF_XOR:
		return m->a ^ by;
	case BPF_LSH:
		return m->a << (by & 31);
	case BPF_RSH:
		return m->a >> (by & 31);
	case BPF_NEG:
		return 0 - m->a;
	default:
		m->valid = false;
		return 0;
	}
}

static uint32_t load(struct machine *m, uint16_t code, uint32_t k, const struct seccomp_data *call)
{
	uint32_t word = 0;

	switch (BPF_MODE(code)) {
	case BPF_IMM:
		return k;
	case BPF_LEN:
		return sizeof(*call);
	case BPF_MEM:
		if (k < BPF_MEMWORDS)
			return m->word[k];
		break;
	case BPF_ABS:
		if (BPF_CLASS(code) == BPF_LD && k % 4 == 0 && k < sizeof(*call)) {
			memcpy(&word, (const char *)call + k, sizeof(word));
			return word;
		}
		break;
	default:
		break;
	}
	m->valid = false;
	return 0;
}

static size_t jump(struct machine *m, const struct sock_filter *at)
{
	uint32_t with = BPF_SRC(at->code) == BPF_X ? m->x : at->k;

	switch (BPF_OP(at->code)) {
	case BPF_JA:
		return at->k;
	case BPF_JEQ:
		return m->a == with ? at->jt : at->jf;
	case BPF_JGT:
		return m->a > with ? at->jt : at->jf;
	case BPF_JGE:
		return m->a >= with ? at->jt : at->jf;
	case BPF_JSET:
		return m->a & with ? at->jt : at->jf;
	default:
		m->valid = false;
		return 0;
	}
}

static void keep(struct machine *m, uint32_t k, uint32_t value)
{
	m->valid = m->valid && k < BPF_MEMWORDS;
	if (m->valid)
		m->word[k] = value;
}

static uint32_t answer(const struct machine *m, const struct sock_filter *at)
{
	return BPF_RVAL(at->code) == BPF_A ? m->a : at->k;
}

uint32_t seccomp_filter_run(const struct sock_filter *code, size_t count,
			    const struct seccomp_data *call, bool *valid)
{
	struct machine m = {.valid = true};

	*valid = true;
	for (size_t i = 0; i < count && m.valid; i++) {
		const struct sock_filter *at = &code[i];

		switch (BPF_CLASS(at->code)) {
		case BPF_LD:
			m.a = load(&m, at->code, at->k, call);
			break;
		case BPF_LDX:
			m.x = load(&m, at->code, at->k, call);
			break;
		case BPF_ST:
			keep(&m, at->k, m.a);
			break;
		case BPF_STX:
			keep(&m, at->k, m.x);
			break;
		case BPF_ALU:
			if (at->code == (BPF_ALU | BPF_DIV | BPF_X) && !m.x)
				return 0; /* as ever in classic BPF */
			m.a = compute(&m, at->code, at->k);
			break;
		case BPF_JMP:
			i += jump(&m, at);
			break;
		case BPF_RET:
			return answer(&m, at);
		default: /* BPF_MISC */
			if (BPF_MISCOP(at->code) == BPF_TAX)
				m.x = m.a;
			else
				m.a = m.x;
			break;
		}
	}
	*valid = false;
	return SECCOMP_RET_KILL_PROCESS;
}

/* As the kernel compares: the lowest, as signed numbers, counts. */
static uint32_t ask_all(const struct seccomp_chain *chain, const struct seccomp_call *call,
			bool *valid)
{
	struct seccomp_data data = {
		.nr = call->number, .arch = ARCHITECTURE, .instruction_pointer = SOMEWHERE};
	uint32_t least = SECCOMP_RET_ALLOW;
	size_t at = 0;

	memcpy(data.args, call->argument, sizeof(data.args));
	*valid = true;
	for (size_t i = 0; i < chain->filters && *valid; i++) {
		uint32_t says = seccomp_filter_run(chain->code + at, chain->count[i], &data, valid);

		if ((int32_t)(says & SECCOMP_RET_ACTION_FULL) <
		    (int32_t)(least & SECCOMP_RET_ACTION_FULL))
			least = says;
		at += chain->count[i];
	}
	return least;
}

/* NULL: it may be called. */
static const char *objection(uint32_t says, bool essential)
{
	switch (says & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
		return NULL;
	case SECCOMP_RET_ERRNO:
		return essential ? "forbids" : NULL;
	case SECCOMP_RET_TRAP:
		return "sends SIGSYS for";
	case SECCOMP_RET_TRACE:
		return "asks a tracer about";
	case SECCOMP_RET_USER_NOTIF:
		return "asks another process about";
	default:
		return "kills for";
	}
}

int seccomp_filter_judge(const struct seccomp_chain *chain, struct profile_error *err)
{
	for (size_t i = 0; i < seccomp_calls_count; i++) {
		const struct seccomp_call *call = &seccomp_calls[i];
		bool valid;
		uint32_t says = ask_all(chain, call, &valid);
		const char *why = valid ? objection(says, call->essential) : "has no rule for";

		if (why) {
			error_set(err, "its seccomp filter %s %s, which recording needs", why,
				  call->name);
			return -1;
		}
	}
	return 0;
}

bool seccomp_filter_readable(void)
{
	char map[128];
	unsigned long long first = 1, outside = 1, length = 0;
	uint64_t effective = proc_status_number(PROC_STATUS_SELF, "CapEff", 16, 0);
	uint64_t mode = proc_status_number(PROC_STATUS_SELF, "Seccomp", 10, 1);

	if (kernel_file_line("/proc/self/uid_map", map, sizeof(map)))
		return false;
	sscanf(map, "%llu %llu %llu", &first, &outside, &length);
	return effective >> CAN_ADMIN & 1 && !mode && !first && !outside && length == UINT32_MAX;
}

/* Adds filter `number` of a stopped thread. 1: added; 0: there is none of that number; -1: errno.
 */
static int add_filter(struct seccomp_chain *chain, size_t *used, pid_t tid, size_t number)
{
	long count = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, number, NULL);

	if (count < 0)
		return errno == ENOENT && number ? 0 : -1;
	if ((size_t)count > MOST_INSTRUCTIONS - *used || number >= MOST_FILTERS) {
		errno = E2BIG;
		return -1;
	}
	if (ptrace(PTRACE_SECCOMP_GET_FILTER, tid, number, chain->code + *used) != count)
		return -1;
	chain->count[chain->filters++] = (size_t)count;
	*used += (size_t)count;
	return 1;
}

static int say_call(pid_t tid, const struct profile_error *why, struct profile_error *err)
{
	error_set(err,
		  "cannot attach to thread %d: %.200s: allow that call in the filter, or start the "
		  "program without it",
		  (int)tid, why->text);
	return -1;
}

/* All filters. 0; or -1 with *err. */
static int read_and_judge(struct seccomp_chain *chain, pid_t tid, struct profile_error *err)
{
	struct profile_error why;
	size_t used = 0;
	int more = chain->code && chain->count ? 1 : -1;

	for (size_t i = 0; more > 0; i++)
		more = add_filter(chain, &used, tid, i);
	if (!more)
		return seccomp_filter_judge(chain, &why) ? say_call(tid, &why, err) : 0;
	error_set(err,
		  "cannot attach to thread %d: its seccomp filter cannot be read (%s): run "
		  "scprof as root of the whole machine, outside of containers, or start the "
		  "program with LD_PRELOAD=libscprof.so SCPROF_STOPPED=1",
		  (int)tid, strerror(errno));
	return -1;
}

int seccomp_filter_check(pid_t tid, struct profile_error *err)
{
	struct seccomp_chain chain = {0};
	struct profile_error why;
	uint64_t mode = SECCOMP_MODE_DISABLED;
	int failed, modes = proc_status_numbers(tid, "Seccomp", 10, &mode, 1);

	if (modes >= 0 && mode == SECCOMP_MODE_DISABLED)
		return 0;
	if (mode == SECCOMP_MODE_STRICT) {
		error_set(
			err,
			"cannot attach to thread %d: it is in strict seccomp mode, which kills for "
			"all that recording needs: start the program without it",
			(int)tid);
		return -1;
	}
	if (!seccomp_filter_readable() && seccomp_filter_is_ours(tid))
		return seccomp_filter_try(&why) ? say_call(tid, &why, err) : 0;
	chain.code = malloc(MOST_INSTRUCTIONS * sizeof(*chain.code));
	chain.count = malloc(MOST_FILTERS * sizeof(*chain.count));
	failed = read_and_judge(&chain, tid, err);
	free(chain.code);
	free(chain.count);
	return failed;
}
