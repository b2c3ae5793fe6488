// SPDX-License-Identifier: Apache-2.0
/* The state that all threads of a process share. What changes it is above: lifecycle.c begins
 * to record, header.c keeps the header of the profile up to date. */
#include <sys/mman.h>

#include "preload/process/process.h"
#include "preload/system/sys.h"

uint32_t process_groups = GROUPS_UNSET;
union process_epoch_page process_epoch __attribute__((aligned(ARCH_PAGE_MAX)));
static struct profile_file first_file;
struct process process = {.file = &first_file, .session = 1};

/* Numbers are not used again, not even by a forked child: a call under way knows
 * by its number that it began in another process. */
void process_next_generation(void)
{
	uint32_t next = __atomic_add_fetch(&process.generation, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&process_epoch.now.generation, next, __ATOMIC_RELEASE);
}

bool process_discard_if_empty(void)
{
	const struct profile_file *f = process.file;
	return f->header && process_epoch.now.generation && process.forked && !f->tables &&
	       !sys_sandboxed && (uint32_t)sys_getpid() == f->pid && sys_unlink(f->path) == 0;
}

void process_begin_anew(void)
{
	process_epoch.now.starting = 0;
	process_epoch.now.early = PROCESS_NOT_EARLY;
	__atomic_store_n(&process_epoch.now.generation, 0, __ATOMIC_RELEASE);
}
