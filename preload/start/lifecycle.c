// SPDX-License-Identifier: Apache-2.0
/* The life cycle of recording in one process: start, fork, exit. A forked child
 * is a process of its own: the kernel wipes process_epoch, so that even a fork
 * that bypassed libc is noticed at the next wrapped call, before anything is
 * written. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "preload/selected/selected.h"
#include "preload/clock/clock.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/call/function.h"
#include "preload/start/lifecycle.h"
#include "preload/path/modules.h"
#include "preload/clock/overhead.h"
#include "preload/start/process.h"
#include "preload/start/start_name.h"
#include "preload/selected/reexec.h"
#include "preload/region/region_name.h"
#include "preload/start/sandbox.h"
#include "preload/start/settings.h"
#include "preload/sys.h"
#include "preload/table/thread.h"

#define FIRST_FILE_BYTES (1u << 20)
#define SMALL_FILE_BYTES (128u << 10) /* where address space is limited */
#define MOST_NAME_BYTES	 200u	      /* of the program, in the name of its file: 255 in all */

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
	text_append(h->program, sizeof h->program, 0, settings.program);
	sys2(SYS_prctl, 16 /* PR_GET_NAME */, h->comm);
	clock_describe(&h->clock, &h->slow_clock);
	h->flags = (clock_chosen.slow_kind ? SCP_FILE_DUAL : 0) |
		   (clock_chosen.histograms ? SCP_FILE_HISTOGRAMS : 0) |
		   (settings.symbols_ignored ? SCP_FILE_NO_SYMBOLS : 0);
	if (settings.symbols_ignored)
		text_append(h->no_symbols, sizeof h->no_symbols, 0, reexec_problem);
	text_append(h->preceded, sizeof h->preceded, 0, settings.preceded);
	bytes_copy(h->filters, filter.text, filter.text_bytes);
	h->filters_bytes = filter.text_bytes;
	h->slowest.count = settings.slowest.count;
	h->slowest.least_ns = settings.slowest.least_ns;
	h->slowest.flags = (settings.slowest.unread ? SCP_SLOWEST_UNREAD : 0) |
			   (*settings.slowest.patterns ? SCP_SLOWEST_CHOSEN : 0);
	overhead_inherit(h);
	publish_barrier();
	bytes_copy(h->magic, SCP_MAGIC, sizeof h->magic);
}

static void forget_functions(void)
{
	for (unsigned i = 0; i < FN_COUNT + chosen_count(); i++)
		process.function[i] = NULL;
}

/* Returns the groups that are recorded in it. */
static uint32_t fill_file(void)
{
	uint32_t groups = settings.groups;
	fill_header(process.file.header);
	function_write_records();
	if (!selected_write_records())
		groups &= ~SCP_GROUP_CHOSEN;
	process.file.header->groups = groups;
	return groups;
}

/* Likewise; 0: there is none. */
static uint32_t begin_file(void)
{
	const char *program = *settings.program ? settings.program : "unknown";
	char name[MOST_NAME_BYTES + 1];
	struct file_wish wish = {file_first_birth(), settings.directory, name, sys_getpid()};
	text_append(name, start_name_fits(program, text_length(program), MOST_NAME_BYTES) + 1, 0,
		    program);
	process.touched_ns = 0;
	for (; wish.birth < FILE_BIRTHS; wish.birth++) {
		if (file_create(&process.file, &wish, FIRST_FILE_BYTES) != 0 &&
		    file_create(&process.file, &wish, SMALL_FILE_BYTES) != 0)
			continue;
		uint32_t groups = fill_file();
		if (file_give_name(&process.file, &wish) == 0)
			return groups;
		forget_functions();
		file_abandon(&process.file);
	}
	return 0;
}

/* A handler that leaves by longjmp would leave a descriptor behind. */
static uint32_t begin_file_undisturbed(void)
{
	uint64_t signals;
	sys_hold_signals(&signals);
	uint32_t groups = begin_file();
	sys_release_signals(&signals);
	return groups;
}

static void on_quick_exit(void)
{
	process_mark_end(SCP_END_QUICK);
}

/* Where the kernel cannot wipe process_epoch (before 4.14, or emulated), libc's
 * fork tells us at least. */
static void begin_in_child(void)
{
	process_epoch.now = (struct process_epoch){0, 0};
	compiler_barrier();
	lifecycle_start();
}

/* Handlers are registered once; a forked child inherits them. */
static void register_handlers(void)
{
	static bool done;
	if (done)
		return;
	done = true;
	thread_register();
	pthread_atfork(NULL, NULL, begin_in_child);
	at_quick_exit(on_quick_exit);
}

static bool constructing;

COLD void lifecycle_start(void)
{
	uint32_t idle = 0;
	if (__atomic_load_n(&process_epoch.now.generation, __ATOMIC_RELAXED) ||
	    (process_groups == GROUPS_UNSET && !environ && !constructing))
		return; /* an IFUNC's resolver calls: libc itself has not begun */
	if (!__atomic_compare_exchange_n(&process_epoch.now.starting, &idle, 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	if (process_groups == GROUPS_UNSET) {
		selected_resolve_all(); /* first: those of memory, which dlsym may use */
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
	region_name_forget_records();
	forget_functions();
	process.chunk = (struct file_chunk){0};
	process.chunk_busy = process.touching = 0; /* whoever held them is not in this process */
	uint32_t groups = settings.groups;
	if (groups)
		groups = sandbox_active ? 0 : begin_file_undisturbed();
	__atomic_store_n(&process_groups, control_begin(groups), __ATOMIC_RELEASE);
	process_next_generation();
}

__attribute__((constructor)) static void constructor(void)
{
	constructing = true;
	lifecycle_start();
	if (!process_groups)
		return;
	overhead_measure_first();
	if (control_is_recording())
		thread_acquire(); /* so that the main thread's time begins here */
}

__attribute__((destructor)) static void destructor(void)
{
	if (!process_groups)
		return;
	process_mark_end(SCP_END_EXIT);
	thread_end_gap();
	if (!process_discard_if_empty())
		overhead_measure_last();
}
