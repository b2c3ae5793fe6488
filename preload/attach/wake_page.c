// SPDX-License-Identifier: Apache-2.0
/* A process that began dormant (SCPROF_STOPPED=1) is woken by a page that it maps, struct
 * scp_wake_page: without ptrace, so in containers and on hardened hosts, too. Forked children share
 * the page, and are dormant like their parent. An order is followed by the thread that makes the
 * next wrapped call; others go on as they were. Nothing here calls libc but for pthread_atfork.
 *
 * The page is shared memory that others write: an order is copied, and what is copied counts only
 * if its word is the same afterwards.
 *
 * control.wake_seen is the word that was followed last, so that a call that comes by while nothing
 * is asked for makes two comparisons. Whoever is not able to follow now (a small stack, a child of
 * vfork) leaves it as it is for the next one. */
#include <errno.h>

#include "include/scprof_attach.h"
#include "preload/attach/session.h"
#include "preload/filter/control.h"
#include "preload/process/process.h"
#include "preload/process/settings.h"
#include "preload/start/lifecycle.h"
#include "preload/system/stack.h"
#include "preload/process/libc.h"
#include "preload/system/sys.h"
#include "preload/table/thread.h"

#define STACK_TO_WAKE 6144u /* below this the next call is waited for */
#define PATIENCE      64u   /* calls inside of what may have been left for good */
#define OUT	      "SCPROF_OUT="
#define TEXT_ROOM     (SCP_WAKE_TEXT_BYTES + sizeof OUT + FILE_PATH_MAX)

static struct {
	struct scp_wake_page *page; /* NULL: none */
	struct profile_file file;
	char directory[FILE_PATH_MAX]; /* of the page: SCPROF_OUT at the program's start */
	uint64_t followed;	       /* word of the order that was followed last */
	uint32_t holder;	       /* the process that counts among the page's holders */
	bool ordered;		       /* what is recorded now was ordered by the page */
	/* SCPROF_... as at the program's start. */
	char environment[SCP_WAKE_TEXT_BYTES];
	uint32_t environment_bytes;
	/* One thread at a time: */
	char text[TEXT_ROOM];
	uint32_t text_bytes;
} wake;

static void answer(enum scp_attach_problem problem)
{
	wake.page->problem = problem;
	__atomic_store_n(&wake.page->answer_pid, process_epoch.now.pid, __ATOMIC_RELEASE);
}

/* The order under that word. False: it is being written. */
static bool take_order(uint64_t word, bool *mine, bool *to_begin)
{
	const struct scp_wake_page *p = wake.page;
	uint32_t count = p->count, bytes = p->text_bytes;
	if (count > SCP_WAKE_TARGETS_MAX || bytes > SCP_WAKE_TEXT_BYTES)
		count = bytes = 0; /* as an order to stop */
	*mine = !count;
	for (uint32_t i = 0; i < count; i++)
		*mine |= (uint32_t)p->target[i] == process_epoch.now.pid;
	bytes_copy(wake.text, p->text, bytes);
	wake.text_bytes = bytes;
	*to_begin = bytes != 0;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&p->word, __ATOMIC_RELAXED) == word;
}

/* The process's own SCPROF_OUT last, since the first counts; `alone`: without those that there are,
 * whose number it returns. */
static unsigned use_own_directory(bool alone)
{
	size_t to = 0;
	unsigned left_out = 0;
	for (size_t at = 0, n; at < wake.text_bytes; at += n) {
		n = text_length(wake.text + at) + 1;
		if (alone && text_begins_with(wake.text + at, OUT)) {
			left_out++;
			continue;
		}
		bytes_copy(wake.text + to, wake.text + at, n);
		to += n;
	}
	to = text_append(wake.text, TEXT_ROOM, to, OUT);
	wake.text_bytes = (uint32_t)text_append(wake.text, TEXT_ROOM, to, wake.directory) + 1;
	return left_out;
}

/* By wake.text. What it names may be in another mount namespace, or another user's. */
static void begin(void)
{
	if (wake.text_bytes && wake.text[wake.text_bytes - 1]) {
		answer(SCP_ATTACH_BAD_ORDER);
		return;
	}
	use_own_directory(false);
	enum scp_attach_problem problem = session_begin(wake.text, wake.text_bytes, false);
	if (problem == SCP_ATTACH_NO_FILE && use_own_directory(true) > 1)
		problem = session_begin(wake.text, wake.text_bytes, false);
	wake.ordered = problem == SCP_ATTACH_FINE;
	answer(problem);
}

/* SCPROF_START, or the signal of SCPROF_SIGNAL: what was begun stopped goes on. */
static void begin_by_environment(void)
{
	bytes_copy(wake.text, wake.environment, wake.environment_bytes);
	wake.text_bytes = wake.environment_bytes;
	begin();
	wake.ordered = false;
	control.asked = false;
	__atomic_store_n(&control.stopped, false, __ATOMIC_SEQ_CST);
}

/* control.wake_seen afterwards: CONTROL_CALLED, if that is for the next call to do. */
static uint64_t follow(void)
{
	bool mine, to_begin;
	uint64_t word = __atomic_load_n(&wake.page->word, __ATOMIC_ACQUIRE);
	if (word == wake.followed) {
		if (lifecycle_dormant && control.asked && !sys_sandboxed)
			begin_by_environment();
		return word;
	}
	if (!take_order(word, &mine, &to_begin))
		return CONTROL_CALLED;
	if (mine && to_begin && sys_sandboxed) { /* it would take system calls */
		answer(SCP_ATTACH_NOT_NOW);
		to_begin = false;
	}
	if (!lifecycle_dormant && wake.ordered) {
		enum scp_attach_problem problem = session_end();
		if (problem == SCP_ATTACH_NOT_NOW)
			return CONTROL_CALLED;
		wake.ordered = false;
		answer(problem);
	}
	if (mine && to_begin && lifecycle_dormant)
		begin();
	else if (mine && to_begin)
		answer(SCP_ATTACH_NOT_NOW);
	wake.followed = word;
	return word;
}

/* What is marked as bookkeeping of this thread is under way below a signal handler, or was left for
 * good. */
static bool is_inside(void)
{
	static __thread uint32_t passed;
	const struct scp_thread *t = thread_self;
	return lifecycle_dormant && t && (t->open & 1) && ++passed < PATIENCE;
}

/* Signals are held, where they can be. */
static COLD void on_call(void)
{
	if ((!sys_sandboxed && (uint32_t)sys_getpid() != process_epoch.now.pid) || is_inside() ||
	    stack_room() < STACK_TO_WAKE || !flag_take(&control.wake_busy))
		return;
	uint64_t seen = follow();
	__atomic_store_n(&control.wake_seen, seen, __ATOMIC_SEQ_CST);
	if (sys_sandboxed)
		control.asked = false;
	if (__atomic_load_n(&control.asked, __ATOMIC_SEQ_CST)) /* meanwhile */
		control.wake_seen = CONTROL_CALLED;
	flag_give(&control.wake_busy);
}

/* Before the fork: the parent may end before its child runs. What does not become a child after
 * all keeps the file from being removed. */
static void count_holder(void)
{
	if (wake.page)
		__atomic_add_fetch(&wake.page->holders, 1, __ATOMIC_SEQ_CST);
}

static void be_holder(void)
{
	wake.holder = wake.page && !sys_sandboxed ? (uint32_t)sys_getpid() : 0;
}

_Static_assert(sizeof wake.directory == SCP_WAKE_DIRECTORY, "the page has room for the folder");

static long fill(int fd)
{
	const struct {
		char magic[8];
		uint32_t bytes, pid;
		uint64_t process_start;
	} head = {SCP_WAKE_MAGIC, SCP_WAKE_BYTES, process_epoch.now.pid,
		  sys_stat_field(SYS_STAT_START)};
	const uint64_t word = 1;
	long r = sys_fallocate(fd, 0, SCP_WAKE_BYTES);
	if (r != 0)
		r = sys_lengthen(fd, SCP_WAKE_BYTES);
	if (r != 0)
		return r;
	r = sys_pwrite(fd, &word, sizeof word, offsetof(struct scp_wake_page, word));
	if (r >= 0)
		r = sys_pwrite(fd, wake.directory, sizeof wake.directory,
			       offsetof(struct scp_wake_page, directory));
	return r < 0 ? r : sys_pwrite(fd, &head, sizeof head, 0);
}

/* At `at`, if that is not NULL. */
static void *map(void *at)
{
	long fd = sys_open_given(wake.file.path, O_RDWR, SCP_WAKE_BYTES);
	void *page = (void *)-EIO;
	if (fd < 0)
		return (void *)fd;
	if (file_name_identify(&wake.file, (int)fd) == 0)
		page = (void *)arch_syscall(SYS_mmap, (long)at, SCP_WAKE_BYTES,
					    PROT_READ | PROT_WRITE,
					    MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
	sys_close((int)fd);
	return page;
}

/* A page under its name, and mapped; false: it cannot be made. */
static bool make(void *at)
{
	char name[START_NAME_OF_FILE];
	struct file_wish wish = {file_name_first_birth(), wake.directory, name,
				 (int)process_epoch.now.pid, ".wake"};
	start_name_of_file(name, settings.program);
	for (; wish.birth < FILE_BIRTHS && file_check_size(SCP_WAKE_BYTES) == 0; wish.birth++) {
		wake.file = (struct profile_file){0};
		wake.file.fd = file_name_open_new(&wake.file, &wish);
		if (wake.file.fd < 0)
			continue;
		if (file_name_identify(&wake.file, wake.file.fd) == 0 && fill(wake.file.fd) >= 0 &&
		    file_name_give_name(&wake.file, &wish) == 0) {
			void *page = map(at);
			if (!sys_failed(page)) {
				wake.page = page;
				return true;
			}
		}
		file_abandon(&wake.file);
	}
	return false;
}

static void note_environment(void)
{
	for (char **e = settings_environment(); e && *e; e++) {
		size_t n = text_length(*e) + 1;
		if (!text_begins_with(*e, "SCPROF_") || text_begins_with(*e, OUT) ||
		    wake.environment_bytes + n > sizeof wake.environment)
			continue;
		bytes_copy(wake.environment + wake.environment_bytes, *e, n);
		wake.environment_bytes += (uint32_t)n;
	}
}

void wake_page_begin(void)
{
	uint64_t signals;
	if (!control.wakes || wake.page)
		return;
	text_append(wake.directory, sizeof wake.directory, 0, settings.directory);
	note_environment();
	sys_hold_signals(&signals);
	bool made = !sys_sandboxed && make(NULL);
	sys_release_signals(&signals);
	if (!made) {
		control.wakes = false;
		__atomic_store_n(&process_groups, 0, __ATOMIC_RELEASE);
		return;
	}
	count_holder();
	be_holder();
	libc_at_fork(count_holder, be_holder);
	libc_at_quick_exit(wake_page_leave);
	wake.followed = wake.page->word;
	control.wake = on_call;
	control.wake_seen = control.asked ? CONTROL_CALLED : wake.followed;
	__atomic_store_n(&control.wake_word, &wake.page->word, __ATOMIC_RELEASE);
	if (control.asked) /* a constructor before ours has asked */
		lifecycle_poll();
}

/* Nobody else's, who has taken the name. */
static void remove_file(void)
{
	long fd = sys_open_given(wake.file.path, O_RDONLY, 0);
	if (fd < 0)
		return;
	bool ours = file_name_identify(&wake.file, (int)fd) == 0;
	sys_close((int)fd);
	if (ours)
		sys_unlink(wake.file.path);
}

static bool may_leave(void)
{
	return wake.page && !sys_sandboxed && (uint32_t)sys_getpid() == process_epoch.now.pid;
}

/* What another thread does to the file is waited for, 1 s at most: with this one all end. */
void wake_page_leave(void)
{
	uint64_t signals;
	uint32_t own = process_epoch.now.pid; /* not where a bare system call has forked */
	bool taken;
	if (!may_leave())
		return;
	sys_hold_signals(&signals);
	__atomic_add_fetch(&process_epoch.now.leaving, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; !(taken = flag_take(&control.wake_busy)) && i < 1000; i++)
		sys_futex_wait(&control.wake_busy, 1, 1000000);
	if (__atomic_compare_exchange_n(&wake.holder, &own, 0, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST) &&
	    __atomic_sub_fetch(&wake.page->holders, 1, __ATOMIC_SEQ_CST) == 0)
		remove_file();
	if (taken)
		flag_give(&control.wake_busy);
	sys_release_signals(&signals);
}

/* Children that were forked before have the former page. */
static void hold_again(void)
{
	if (__atomic_load_n(&wake.page->holders, __ATOMIC_SEQ_CST) == 0 && make(wake.page)) {
		wake.followed = wake.page->word;
		control.wake_seen = wake.followed;
	}
	count_holder();
	be_holder();
}

/* Unless another thread is about to leave: its exec may not fail. A thread may be about to follow
 * an order. */
void wake_page_return(void)
{
	uint64_t signals;
	if (!may_leave())
		return;
	sys_hold_signals(&signals);
	__atomic_sub_fetch(&process_epoch.now.leaving, 1, __ATOMIC_SEQ_CST);
	if (flag_take(&control.wake_busy)) {
		if (!wake.holder && !__atomic_load_n(&process_epoch.now.leaving, __ATOMIC_SEQ_CST))
			hold_again();
		flag_give(&control.wake_busy);
	}
	sys_release_signals(&signals);
}
