// SPDX-License-Identifier: Apache-2.0
/* The life cycle of recording in one process: start, fork, exit. A forked child is a process of its
 * own: the kernel wipes process_epoch, so that even a fork that bypassed libc is noticed at the
 * next wrapped call, before anything is written. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "preload/causal/causal.h"
#include "preload/clock/clock.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/function/function.h"
#include "preload/function/selected.h"
#include "preload/process/process.h"
#include "preload/process/settings.h"
#include "preload/second/second.h"
#include "preload/start/lifecycle.h"
#include "preload/switches/switch_track.h"
#include "preload/process/libc.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/header.h"
#include "preload/table/thread.h"

bool lifecycle_constructing;
bool lifecycle_dormant;
void (*lifecycle_forked)(void);

static void on_quick_exit(void)
{
	header_mark_end(SCP_END_QUICK);
}

/* The first in a process. */
static void note_process(void)
{
	process_epoch.now.noted = true;
	process_epoch.now.pid = sys_sandboxed ? 0 : (uint32_t)sys_getpid();
	if (process_groups != GROUPS_UNSET && lifecycle_forked)
		lifecycle_forked();
	/* their holders are not in this process */
	control.wake_busy = process.chunk_busy = process.touching = 0;
}

/* Where the kernel cannot wipe process_epoch (before 4.14, or emulated), libc's fork at least calls
 * us. A profile begins with the first call that needs one: most children execute another program,
 * and each page that is touched here costs them a fault. */
static void note_fork(void)
{
	if (process_epoch.now.generation)
		process_epoch.now = (struct process_epoch){0};
	compiler_barrier();
	process_epoch.now.pid = sys_sandboxed ? 0 : (uint32_t)sys_getpid();
	const struct scp_thread *t = thread_self;
	thread_note_fork();
	if (t && t->switches.page) /* which is not here */
		switch_detector_forget(&thread_self->switches);
	if (libc_opened_later || control.wakes)
		note_process();
	/* What a handler that forked has interrupted goes on, and must not make the parent's file
	 * larger. */
	if (lifecycle_dormant || (t && ((t->open & 1) || t->looking)))
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
	libc_at_fork(NULL, note_fork);
	libc_at_quick_exit(on_quick_exit);
}

static void set_stopped(bool stopped)
{
	if (process_groups == GROUPS_UNSET)
		lifecycle_poll();
	if (!process_groups)
		return;
	if (lifecycle_dormant) {
		__atomic_store_n(&control.asked, !stopped, __ATOMIC_SEQ_CST);
		__atomic_store_n(&control.wake_seen, CONTROL_CALLED, __ATOMIC_SEQ_CST);
	} else {
		control_stop(stopped);
	}
	lifecycle_poll();
}

static void on_signal(int number)
{
	(void)number;
	set_stopped(lifecycle_dormant ? control.asked : !control.stopped);
}

/* Asked for by name in the environment of the program itself, and only where the signal would
 * have ended it. */
static void take_signal(void)
{
	const char *name = settings_variable("SCPROF_SIGNAL");
	if (control.page || !name)
		return;
	struct sigaction old, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	name += text_begins_with(name, "SIG") ? 3 : 0;
	int number = text_equal(name, "USR1") ? SIGUSR1 : text_equal(name, "USR2") ? SIGUSR2 : 0;
	if (!number || sigaction(number, NULL, &old) != 0 ||
	    (old.sa_handler != SIG_DFL && old.sa_handler != on_signal) ||
	    sigaction(number, &ours, NULL) != 0)
		filter_note_ignored("SCPROF_SIGNAL");
}

/* Each module reads its own part of the environment, or of an order. `at_rest`: the loader may be
 * asked. */
static void read_environment(bool at_rest)
{
	if (!clock_is_allowed() || !settings_read(selected_count() > 0))
		return;
	clock_choose(settings_variable("SCPROF_CLOCK"), settings_variable("SCPROF_CLOCK_PAGE"));
	switch_budget_begin_process();
	switch_detector_choose(settings_variable("SCPROF_STATES"),
			       settings_variable("SCPROF_DETECTOR"),
			       clock_chosen.kind == SCP_CLOCK_THREAD_CPU);
	filter_read();
	if (!second_choose(settings_variable("SCPROF_VERIFY_PATHS")))
		filter_note_ignored("SCPROF_VERIFY_PATHS");
	control_read();
	causal_read();
	take_signal();
	if (at_rest && !libc_opened_later) /* else callers are led to us, whatever is first */
		precedence_read(settings.groups, settings.preceded, sizeof settings.preceded);
}

/* Nothing is recorded until an order comes: opened later. */
static void be_dormant(void)
{
	function_resolve_all();
	switch_detector_find();
	register_handlers();
	sys_madvise(&process_epoch, sizeof process_epoch, MADV_WIPEONFORK);
	__atomic_store_n(&process_groups, 0, __ATOMIC_RELEASE);
	lifecycle_dormant = true;
}

COLD void lifecycle_start(void)
{
	if (__atomic_load_n(&process_epoch.now.generation, __ATOMIC_RELAXED) ||
	    (process_groups == GROUPS_UNSET && !environ && !lifecycle_constructing))
		return; /* an IFUNC's resolver calls: libc itself has not begun */
	if (!flag_take(&process_epoch.now.starting))
		return;
	if (!process_epoch.now.noted)
		note_process();
	if (lifecycle_dormant) { /* a forked child: the threads were the parent's */
		second_note_fork();
		if (thread_forget_all())
			session_file_forget_all();
		return;
	}
	if (process_groups == GROUPS_UNSET) {
		unwind_object_index = object_index_find;
		libc_note_scope();
	}
	if (libc_opened_later && process_groups == GROUPS_UNSET) {
		be_dormant();
		return;
	}
	uint64_t since_ns = header_cpu_ns();
	if (process_groups == GROUPS_UNSET) {
		selected_resolve_all(); /* first: those of memory, which dlsym may use */
		function_resolve_all();
		switch_detector_find();
		read_environment(true);
		if (settings.groups)
			register_handlers();
		sys_madvise(&process_epoch, sizeof process_epoch, MADV_WIPEONFORK);
		if (settings.groups && control.begins_dormant) {
			/* each call looks whether there is an order */
			control.stopped = control.used = false;
			lifecycle_dormant = control.wakes = true;
			__atomic_store_n(&process_groups, GROUPS_PAUSED, __ATOMIC_RELEASE);
			return;
		}
	} else {
		if (thread_forget_all()) /* a forked child: the threads were the parent's */
			session_file_forget_all();
		second_note_fork();
		process.forked = true;
		process.session++;
	}
	session_file_forget_known();
	uint32_t groups = settings.groups && !sys_sandboxed ? session_file_begin(process.file) : 0;
	process.first_generation = process.generation + 1;
	process_epoch.now.session = process.session;
	second_begin_file();
	__atomic_store_n(&process_groups, control_begin(groups), __ATOMIC_RELEASE);
	process_next_generation();
	header_note_own(since_ns);
}

/* A child of vfork, which has its parent's memory, begins nothing in its name. */
bool lifecycle_may_begin(void)
{
	uint32_t pid = process_epoch.now.pid;
	return !pid || sys_sandboxed || (uint32_t)sys_getpid() == pid;
}

COLD void lifecycle_begin_forked(void)
{
	if (process_groups && process_groups != GROUPS_UNSET && !lifecycle_dormant &&
	    !process_epoch.now.generation && stack_room() >= STACK_TO_UNWIND &&
	    lifecycle_may_begin())
		lifecycle_start();
}

COLD void lifecycle_keep_room(void)
{
	lifecycle_begin_forked();
	if (process_epoch.now.generation) /* else the file is the parent's, or ended */
		file_keep_room(process.file);
}

COLD enum scp_attach_problem lifecycle_begin_session(bool at_rest, uint32_t *error)
{
	enum scp_attach_problem problem = SCP_ATTACH_NOT_NOW;
	uint64_t since_ns = header_cpu_ns();
	settings.groups = 0;
	filter_forget();
	*error = 0;
	if (!clock_is_allowed())
		return SCP_ATTACH_NO_CLOCK;
	read_environment(at_rest);
	if (!settings.groups)
		return SCP_ATTACH_BAD_ORDER;
	if (sys_sandboxed)
		return SCP_ATTACH_NOT_NOW;
	process.forked = false;
	if (at_rest)
		second_load();
	problem = session_file_change(error);
	if (problem != SCP_ATTACH_FINE)
		return problem;
	second_begin_file();
	uint32_t on = control_begin(settings.groups);
	process.session++;
	process.first_generation = process.generation + 1;
	process_epoch.now.starting = 1; /* a child of a raw clone has not */
	__atomic_store_n(&process_epoch.now.session, process.session, __ATOMIC_SEQ_CST);
	process_next_generation();
	lifecycle_dormant = false;
	__atomic_store_n(&process_groups, on, __ATOMIC_SEQ_CST);
	header_note_own(since_ns);
	return problem;
}

/* In this order: who has looked at the groups looks at the generation after it has marked that it
 * writes. */
COLD void lifecycle_end_session(void)
{
	thread_end_gap();
	for (unsigned i = 0; process.touching && i < 1000; i++)
		arch_relax();
	header_mark_end(SCP_END_DETACHED);
	lifecycle_dormant = true;
	__atomic_store_n(&process_groups, control.wakes ? GROUPS_PAUSED : 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&process_epoch.now.session, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&process_epoch.now.generation, 0, __ATOMIC_SEQ_CST);
	process.file->ended_ns = clock_mono_ns();
	control_forget();
	causal_forget();
	clock_forget();
}

/* When recording begins again the memos are stale before anybody records, so that no gap reaches
 * over the pause. Never after the groups became 0, which is permanent. */
static void settle(void)
{
	header_note_usage(); /* before the change: of what was until now */
	uint32_t was = process_groups, next = control_settle();
	process_next_generation();
	if (was && was != GROUPS_UNSET && control.groups)
		__atomic_compare_exchange_n(&process_groups, &was, next, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	header_refresh();
}

COLD void lifecycle_poll(void)
{
	uint64_t signals;
	int saved = errno;
	if (process_groups == GROUPS_UNSET || !process_epoch.now.generation) {
		lifecycle_start();
		if (!lifecycle_dormant || !control.wakes) {
			errno = saved;
			return;
		}
	}
	sys_hold_signals(&signals); /* a handler must not leave while we are busy */
	if (control_is_called())
		control.wake();
	while (!lifecycle_dormant && control_is_due() && flag_take(&control.busy)) {
		settle();
		flag_give(&control.busy);
	}
	sys_release_signals(&signals);
	errno = saved;
}

COLD void lifecycle_wake(void)
{
	int saved = errno;
	if (process_groups == GROUPS_UNSET)
		lifecycle_start();
	else if (process_groups == GROUPS_PAUSED && control_changed())
		lifecycle_poll();
	errno = saved;
}

void lifecycle_stop(void)
{
	set_stopped(true);
}

void lifecycle_resume(void)
{
	set_stopped(false);
}
