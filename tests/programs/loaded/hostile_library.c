// SPDX-License-Identifier: GPL-3.0-or-later
/* Stands in for libscprof.so, by its name. What it is asked to do has no end: short system calls
 * without number (HOSTILE=calls), one that never returns (sleep), none (loop), a fault, or the end
 * of the process (exit). Its state is what the tool wants to see; afterwards, all bits set. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "include/scprof_attach.h"
#include "include/scprof_version.h"

__attribute__((visibility("default"))) struct scp_attach_state scprof_attach_state_1 = {
	.magic = SCP_ATTACH_MAGIC, .bytes = sizeof(struct scp_attach_state)};
__attribute__((visibility("default"))) int scprof_attach_begin_1(
	const struct scp_attach_order *order);
__attribute__((visibility("default"))) int scprof_attach_end_1(void);

__attribute__((constructor)) static void begin(void)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (const char *c = SCPROF_VERSION; *c; c++)
		h = (h ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	scprof_attach_state_1.version = (uint32_t)h;
	scprof_attach_state_1.area = ~UINT64_C(0) << 20;
	scprof_attach_state_1.area_bytes = 1 << 20;
}

int scprof_attach_begin_1(const struct scp_attach_order *order)
{
	const char *how = getenv("HOSTILE");

	(void)order;
	memset((char *)&scprof_attach_state_1 + 16, 0xff, sizeof(scprof_attach_state_1) - 16);
	if (!strcmp(how, "exit"))
		syscall(SYS_exit_group, 0);
	if (!strcmp(how, "fault"))
		__builtin_trap();
	if (!strcmp(how, "sleep"))
		for (;;)
			syscall(SYS_pause);
	if (!strcmp(how, "calls"))
		for (;;)
			syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 1000000}, NULL);
	if (!strcmp(how, "loop"))
		for (volatile int i = 0;;)
			i = i + 1;
	return 0;
}

int scprof_attach_end_1(void)
{
	return 0;
}
