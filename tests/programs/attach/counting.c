// SPDX-License-Identifier: GPL-3.0-or-later
/* Stands in for libscprof.so: the same names; counts orders, and uses what a function may use. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "include/scprof_attach.h"
#include "include/scprof_version.h"

int scprof_attach_begin_1(const struct scp_attach_order *o);
int scprof_attach_end_1(uint32_t hold_ms);

struct scp_attach_state scprof_attach_state_1 = {.magic = SCP_ATTACH_MAGIC,
						 .bytes = sizeof(struct scp_attach_state)};
#define state scprof_attach_state_1

static uint32_t sessions;

__attribute__((constructor)) static void begin(void)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (const char *c = SCPROF_VERSION; *c; c++)
		h = (h ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	state.version = (uint32_t)h;
}

/* Registers, stack, errno, a signal stack in use by nobody. */
static void disturb(void)
{
	volatile char stack[200000];

	for (size_t i = 0; i < sizeof stack; i += 512)
		stack[i] = 1;
	errno = 77;
	access("/none", F_OK);
#ifdef __x86_64__
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tmovdqa %%xmm0, %%xmm15\n\tfld1\n\tfstp %%st(0)"
			 :
			 :
			 : "xmm0", "xmm15");
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile("vpternlogd $255, %%zmm31, %%zmm31, %%zmm31\n\t"
				 "kxnorw %%k1, %%k1, %%k1\n\tvpxord %%zmm0, %%zmm0, %%zmm0"
				 :
				 :
				 : "xmm0");
#endif
}

static void hold(uint32_t ms)
{
	const struct timespec limit = {0, ms * 1000000l};

	if (ms)
		syscall(SYS_ppoll, &state, 0, &limit, NULL, 8);
}

/* The order's text: "FAULT=1" raises a fault, "REFUSE=1" is refused. */
int scprof_attach_begin_1(const struct scp_attach_order *o)
{
	state.area = o->area;
	state.area_bytes = o->area_bytes;
	state.problem = SCP_ATTACH_FINE;
	if (state.status != SCP_ATTACH_DORMANT)
		return (int)(state.problem = SCP_ATTACH_NOT_NOW);
	if (strcmp(o->text, "REFUSE=1") == 0)
		return (int)(state.problem = SCP_ATTACH_BAD_ORDER);
	if (strcmp(o->text, "FAULT=1") == 0)
		__builtin_memset((void *)o->area, 0, 1); /* its guard */
	state.status = SCP_ATTACH_BUSY;
	disturb();
	sessions++;
	state.status = SCP_ATTACH_RECORDING;
	hold(o->hold_ms);
	return 0;
}

int scprof_attach_end_1(uint32_t hold_ms)
{
	state.problem = SCP_ATTACH_FINE;
	if (state.status != SCP_ATTACH_RECORDING)
		return (int)(state.problem = SCP_ATTACH_NOT_NOW);
	state.status = SCP_ATTACH_BUSY;
	disturb();
	state.slots.put_back = sessions;
	state.status = SCP_ATTACH_DORMANT;
	hold(hold_ms);
	return 0;
}
