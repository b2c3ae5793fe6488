// SPDX-License-Identifier: Apache-2.0
/* The life cycle of recording in one process. A forked child is a process of
 * its own: the kernel wipes process_epoch, so that even a fork that bypassed
 * libc is noticed at the next wrapped call, before anything is written. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>

#include "clock.h"
#include "function.h"
#include "modules.h"
#include "process.h"
#include "sandbox.h"
#include "settings.h"
#include "sys.h"
#include "thread.h"

#define FIRST_FILE_BYTES (1u << 20)
#define SMALL_FILE_BYTES (128u << 10) /* where address space is limited */
#define TOUCH_EVERY_NS 100000000u

uint32_t process_groups = GROUPS_UNSET;
union process_epoch_page process_epoch __attribute__((aligned(4096)));
struct process process;

static uint64_t realtime_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fill_header(struct scp_header *h)
{
	h->version = SCP_VERSION;
	h->byte_order = SCP_BYTE_ORDER;
	h->header_bytes = SCP_HEADER_BYTES;
	h->machine = ARCH_MACHINE;
	h->pid = (uint32_t)sys_getpid();
	h->ppid = (uint32_t)sys0(SYS_getppid);
	h->uid = (uint32_t)sys0(SYS_geteuid);
	h->processes = 1;
	h->start_real_ns = realtime_ns();
	h->start_mono_ns = clock_mono_ns();
	h->process_start = settings_process_start();
	h->clock_requested = clock_chosen.requested;
	h->groups = settings.groups;
	h->argv_bytes = settings.argv_bytes;
	h->argc = settings.argc;
	bytes_copy(h->boot_id, settings.boot_id, sizeof h->boot_id);
	bytes_copy(h->argv, settings.argv, settings.argv_bytes);
	text_append(h->exe, sizeof h->exe, 0, settings.exe);
	sys2(SYS_prctl, 16 /* PR_GET_NAME */, h->comm);
	clock_describe(&h->clock, &h->slow_clock);
	h->flags = (clock_chosen.slow_kind ? SCP_FILE_DUAL : 0) |
		   (clock_chosen.histograms ? SCP_FILE_HISTOGRAMS : 0);
	publish_barrier();
	bytes_copy(h->magic, SCP_MAGIC, sizeof h->magic);
}

static bool begin_file(void)
{
	const char *name = text_basename(settings.exe);
	int pid = sys_getpid();
	process.file = (struct profile_file){0};
	if (file_create(&process.file, settings.directory, *name ? name : "unknown", pid,
			FIRST_FILE_BYTES) != 0 &&
	    file_create(&process.file, settings.directory, *name ? name : "unknown", pid,
			SMALL_FILE_BYTES) != 0)
		return false;
	fill_header(process.file.header);
	function_write_records();
	return true;
}

/* Handlers are registered once; a forked child inherits them. */
static void register_handlers(void)
{
	static bool done;
	if (done)
		return;
	done = true;
	thread_register();
	pthread_atfork(NULL, NULL, process_start);
	at_quick_exit(process_start_quick_exit);
}

void process_start_quick_exit(void)
{
	process_mark_end(SCP_END_QUICK);
}

COLD void process_start(void)
{
	uint32_t idle = 0;
	if (__atomic_load_n(&process_epoch.now.generation, __ATOMIC_RELAXED))
		return;
	if (!__atomic_compare_exchange_n(&process_epoch.now.starting, &idle, 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	if (process_groups == GROUPS_UNSET) {
		function_resolve_all();
		settings_read();
		if (settings.groups)
			register_handlers();
		sys_madvise(&process_epoch, sizeof process_epoch, MADV_WIPEONFORK);
	} else {
		thread_forget_all(); /* a forked child: the threads were the parent's */
		process.forked = true;
	}
	modules_reset();
	for (unsigned i = 0; i < FN_COUNT; i++)
		process.function[i] = NULL;
	process.chunk = NULL;
	process.chunk_busy = process.touching = 0; /* whoever held them is not in this process */
	uint32_t groups = settings.groups;
	if (groups && (sandbox_active || !begin_file()))
		groups = 0;
	__atomic_store_n(&process_groups, groups, __ATOMIC_RELEASE);
	process_next_generation();
}

void process_stop(void)
{
	process_mark_end(SCP_END_RUNNING);
	settings.groups = 0; /* for forked children */
	__atomic_store_n(&process_groups, 0, __ATOMIC_RELEASE);
}

/* Numbers are not used again, not even by a forked child: a call under way knows
 * by its number that it began in another process. */
void process_next_generation(void)
{
	uint32_t next = __atomic_add_fetch(&process.generation, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&process_epoch.now.generation, next, __ATOMIC_RELEASE);
}

/* An anchor that is being replaced has an endless width: a reader of a process
 * killed at this point does not trust it. */
static void replace_anchor(uint32_t kind, struct scp_anchor *at)
{
	struct scp_anchor fresh;
	clock_anchor(kind, &fresh);
	at->width_ns = ~UINT64_C(0);
	publish_barrier();
	at->clock_at = fresh.clock_at;
	at->mono_ns = fresh.mono_ns;
	publish_barrier();
	at->width_ns = fresh.width_ns;
}

void process_touch(void)
{
	struct scp_header *h = process.file.header;
	uint32_t idle = 0;
	if (!h || !__atomic_compare_exchange_n(&process.touching, &idle, 1, false, __ATOMIC_ACQUIRE,
					       __ATOMIC_RELAXED))
		return; /* another thread is at it */
	replace_anchor(h->clock.kind, &h->clock.last);
	if (h->slow_clock.kind)
		replace_anchor(h->slow_clock.kind, &h->slow_clock.last);
	h->end_mono_ns = clock_mono_ns();
	__atomic_store_n(&process.touching, 0, __ATOMIC_RELEASE);
}

void process_touch_sometimes(void)
{
	struct scp_header *h = process.file.header;
	if (h && clock_mono_ns() - h->end_mono_ns > TOUCH_EVERY_NS)
		process_touch();
}

void process_mark_end(enum scp_end_state state)
{
	/* In a vfork child the memory, and the file, are the parent's. */
	if (!process.file.header || !process_epoch.now.generation ||
	    (!sandbox_active && (uint32_t)sys_getpid() != process.file.header->pid))
		return;
	process.file.header->end_state = state;
	process_touch();
}

void process_discard_if_empty(void)
{
	struct scp_header *h = process.file.header;
	if (h && process.forked && !h->table_count && !sandbox_active &&
	    (uint32_t)sys_getpid() == h->pid)
		sys_unlink(process.file.path);
}

__attribute__((constructor)) static void constructor(void)
{
	process_start();
	if (process_groups)
		thread_acquire(); /* so that the main thread's time begins here */
}

__attribute__((destructor)) static void destructor(void)
{
	if (!process_groups)
		return;
	process_mark_end(SCP_END_EXIT);
	thread_end_gap();
	process_discard_if_empty();
}
