// SPDX-License-Identifier: Apache-2.0
/* The state that all threads of a process share. What changes it is above: lifecycle.c begins
 * to record, header.c keeps the header of the profile up to date. */

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

#define READING_WAITS	100u
#define READING_WAIT_NS 1000000l

COLD bool process_read_mappings(bool (*take)(const struct sys_mapping *m, void *context),
				void *context)
{
	static uint32_t stuck; /* somebody waited in vain: until it is free nobody else does */
	uint32_t *reading = &process_epoch.now.reading;
	unsigned tries = __atomic_load_n(&stuck, __ATOMIC_RELAXED) ? 1 : READING_WAITS;
	uint64_t signals;
	bool done = false;
	if (sys_sandboxed)
		return false;
	sys_hold_signals(&signals);
	for (unsigned i = 0; i < tries && !done; i++) {
		done = flag_take(reading);
		if (!done && tries > 1)
			sys_futex_wait(reading, 1, READING_WAIT_NS);
	}
	__atomic_store_n(&stuck, !done, __ATOMIC_RELAXED);
	if (done) {
		sys_read_mappings(take, context);
		flag_give(reading);
		sys_futex_wake(reading);
	}
	sys_release_signals(&signals);
	return done;
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
