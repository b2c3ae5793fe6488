// SPDX-License-Identifier: GPL-3.0-or-later
/* Where a thread may be borrowed for dlopen, and where not: children that wait in known places. */
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdbool.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/attach/safe_point/safe_points.h"

#define FOR_EVER_S 900 /* a limit for hangs */

static pid_t child_of(void (*scene)(void))
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(FOR_EVER_S);
		scene();
		_exit(99);
	}
	return pid;
}

static void finish(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
}

/* The system call in which a thread is blocked; -1: in none. */
static long call_of(pid_t tid)
{
	char path[64], text[64] = "";
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	return n > 0 && text[0] != 'r' ? strtol(text, NULL, 10) : -1;
}

/* A child that has ended by itself never waits. */
static bool has_ended(pid_t tid)
{
	siginfo_t end = {0};
	return waitid(P_PID, (id_t)tid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       end.si_pid == tid;
}

static void await_call(pid_t tid, long call)
{
	const struct timespec moment = {.tv_nsec = 200000};
	for (int i = 0; i < FOR_EVER_S * 5000 && call_of(tid) != call; i++) {
		if (has_ended(tid))
			fail_msg("the child has ended, in front of call %ld", call);
		nanosleep(&moment, NULL);
	}
	assert_int_equal(call_of(tid), call);
}

static void stop(pid_t tid)
{
	int status;
	assert_int_equal(ptrace(PTRACE_SEIZE, tid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, tid, NULL, NULL), 0);
	assert_int_equal(waitpid(tid, &status, __WALL), tid);
	assert_true(WIFSTOPPED(status));
}

/* Why it cannot be borrowed; "": it can. */
static const char *verdict_on(pid_t pid, pid_t tid)
{
	struct profile_error err;
	struct safe_points *s = safe_points_open(pid, &err);
	assert_non_null(s);
	const char *why = safe_points_judge(s, tid) ?: "";
	/* The same when all is known. */
	assert_string_equal(why, safe_points_judge(s, tid) ?: "");
	safe_points_close(s);
	return why;
}

static void expect(void (*scene)(void), long call, const char *reason)
{
	pid_t pid = child_of(scene);
	await_call(pid, call);
	stop(pid);
	const char *why = verdict_on(pid, pid);
	finish(pid);
	if (*reason ? strstr(why, reason) == NULL : *why)
		fail_msg("%s", why);
}

static void in_pause(void)
{
	pause();
}

static void in_read(void)
{
	int ends[2];
	char c;
	if (pipe(ends) == 0 && read(ends[0], &c, 1) >= 0)
		return;
}

static void in_poll(void)
{
	poll(NULL, 0, -1);
}

static void in_epoll_wait(void)
{
	struct epoll_event e;
	epoll_wait(epoll_create1(0), &e, 1, -1);
}

static void in_sleep(void)
{
	sleep(FOR_EVER_S);
}

static void in_sem_wait(void)
{
	sem_t s;
	sem_init(&s, 0, 0);
	sem_wait(&s);
}

static void in_cond_wait(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m);
}

static void in_mutex_lock(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
}

static void in_sigwait(void)
{
	sigset_t set;
	int s;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigwait(&set, &s);
}

static void plain_waits_are_safe(void **state)
{
	(void)state;
	expect(in_pause, SYS_pause, "");
	expect(in_read, SYS_read, "");
	expect(in_poll, SYS_poll, "");
	expect(in_epoll_wait, SYS_epoll_wait, "");
	expect(in_sleep, SYS_clock_nanosleep, "");
	expect(in_sem_wait, SYS_futex, "");
	expect(in_cond_wait, SYS_futex, "");
	expect(in_mutex_lock, SYS_futex, "");
	expect(in_sigwait, SYS_rt_sigtimedwait, "");
}

static void *thread_waits(void *tid)
{
	*(volatile pid_t *)tid = (pid_t)syscall(SYS_gettid);
	pause();
	return NULL;
}

static pid_t *shared_tid;

static void with_thread(void)
{
	pthread_t t;
	if (pthread_create(&t, NULL, thread_waits, shared_tid) == 0)
		pthread_join(t, NULL);
}

static void a_thread_that_waits_is_safe(void **state)
{
	(void)state;
	*shared_tid = 0;
	pid_t pid = child_of(with_thread);
	await_call(pid, SYS_futex);
	pid_t tid = 0;
	for (int i = 0; i < FOR_EVER_S * 1000 && !tid; i++, usleep(1000)) /* not yet run? */
		tid = *(volatile pid_t *)shared_tid;
	assert_true(tid > 0 && tid != pid);
	await_call(tid, SYS_pause);
	stop(tid);
	assert_string_equal(verdict_on(pid, tid), "");
	assert_int_equal(ptrace(PTRACE_DETACH, tid, NULL, NULL), 0);
	stop(pid); /* in pthread_join */
	assert_string_equal(verdict_on(pid, pid), "");
	finish(pid);
}

static int phdr_waits(struct dl_phdr_info *info, size_t bytes, void *to)
{
	(void)info;
	(void)bytes;
	(void)to;
	return pause();
}

static void in_dl_iterate_phdr(void)
{
	dl_iterate_phdr(phdr_waits, NULL);
}

static void in_fork_handler(void)
{
	pthread_atfork(in_pause, NULL, NULL);
	fork();
}

static void in_exit_handler(void)
{
	atexit(in_pause);
	exit(0);
}

static void in_constructor(void)
{
	dlopen(CONSTRUCTOR_WAITS, RTLD_NOW);
}

static void what_holds_locks_is_not(void **state)
{
	(void)state;
	expect(in_dl_iterate_phdr, SYS_pause, "may hold a lock");
	expect(in_fork_handler, SYS_pause, "may hold a lock");
	expect(in_exit_handler, SYS_pause, "may hold a lock");
	expect(in_constructor, SYS_pause, "dynamic loader");
}

static void *thread_loads(void *tid)
{
	*(volatile pid_t *)tid = (pid_t)syscall(SYS_gettid);
	dlopen(CONSTRUCTOR_WAITS, RTLD_NOW);
	return NULL;
}

static void beside_a_constructor(void)
{
	pthread_t t;
	if (pthread_create(&t, NULL, thread_loads, shared_tid) == 0)
		sleep(FOR_EVER_S);
}

static void await_thread(void)
{
	const struct timespec moment = {.tv_nsec = 200000};
	while (*(volatile pid_t *)shared_tid == 0)
		nanosleep(&moment, NULL);
}

/* It may wait for what the thread holds: its call of dlopen would wait for ever. */
static void no_thread_is_while_another_is_in_a_constructor(void **state)
{
	(void)state;
	*shared_tid = 0;
	pid_t pid = child_of(beside_a_constructor);
	await_thread();
	await_call(*(volatile pid_t *)shared_tid, SYS_pause);
	await_call(pid, SYS_clock_nanosleep);
	stop(pid);
	const char *why = verdict_on(pid, pid);
	finish(pid);
	assert_non_null(strstr(why, "inside dlopen"));
}

static void handler_waits(int s)
{
	(void)s;
	pause();
}

static void in_wrapped_call(void)
{
	void *library = dlopen(OURS_CALLS, RTLD_NOW);
	void (*calls)(int (*)(void)) = library == NULL ? NULL : dlsym(library, "ours_calls");
	if (calls != NULL)
		calls(pause);
}

static void in_ours(void)
{
	void *library = dlopen(OURS_CALLS, RTLD_NOW);
	void (*interrupted)(long) = library == NULL ? NULL : dlsym(library, "ours_is_interrupted");
	signal(SIGUSR2, handler_waits);
	if (interrupted != NULL)
		interrupted(getpid());
}

static void a_wrapper_is_safe_where_its_function_waits(void **state)
{
	(void)state;
	expect(in_wrapped_call, SYS_pause, "");
	expect(in_ours, SYS_pause, "scprof's library");
}

/* Does libc export a function that holds the address? 2: no, 1: yes. */
static pid_t name_of(void *at)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info i;
	bool named = dladdr1(at, &i, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL &&
		     (char *)at < (char *)i.dli_saddr + symbol->st_size;
	return named ? 1 : 2;
}

static int compare_waits(const void *a, const void *b)
{
	(void)a;
	(void)b;
	*shared_tid = name_of(__builtin_return_address(0));
	return pause();
}

static void in_qsort(void)
{
	int values[] = {3, 1, 2};
	qsort(values, 3, sizeof(values[0]), compare_waits);
}

static int entry_waits(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)path, (void)st, (void)type, (void)f;
	*shared_tid = name_of(__builtin_return_address(0));
	return pause();
}

static void in_nftw(void)
{
	nftw("/", entry_waits, 1, FTW_PHYS);
}

static bool called_by_a_name(void (*scene)(void))
{
	*shared_tid = 0;
	pid_t pid = child_of(scene);
	await_call(pid, SYS_pause);
	stop(pid);
	const char *why = verdict_on(pid, pid);
	finish(pid);
	bool named = *shared_tid == 1;
	assert_true(named ? !*why : strstr(why, "no exported name") != NULL);
	return named;
}

/* Which of libc's functions call back themselves, and which have a nameless one do it, is different
 * in its releases. */
static void a_callback_of_libc_is_safe_where_its_caller_has_a_name(void **state)
{
	(void)state;
	bool qsort_has = called_by_a_name(in_qsort), nftw_has = called_by_a_name(in_nftw);
	if (qsort_has && nftw_has)
		skip();
}

static void *volatile kept;

static void in_malloc(void)
{
	pause(); /* until the test has it go on */
	kept = malloc(64u << 20);
	pause();
}

static void on_signal_wait(int flags)
{
	struct sigaction a = {.sa_handler = handler_waits, .sa_flags = flags};
	sigaction(SIGUSR1, &a, NULL);
	signal(SIGUSR2, handler_waits);
}

static void in_malloc_with_handler(void)
{
	on_signal_wait(0);
	in_malloc();
}

static void end_pause(pid_t pid)
{
	struct user_regs_struct r;
	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &r), 0);
	r.rax = 0;
	r.orig_rax = (unsigned long long)-1;
	assert_int_equal(ptrace(PTRACE_SETREGS, pid, NULL, &r), 0);
}

static void one_step(pid_t pid)
{
	int status;
	assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, __WALL), pid);
	assert_true(WIFSTOPPED(status));
}

/* Let a child that stands in its first pause go on to the mmap of malloc, by system calls. */
static pid_t stopped_in_malloc(void (*scene)(void))
{
	struct user_regs_struct r = {0};
	int status;
	pid_t pid = child_of(scene);
	await_call(pid, SYS_pause);
	stop(pid);
	end_pause(pid);
	for (int i = 0; i < 10 && r.orig_rax != SYS_mmap; i++) {
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, __WALL), pid);
		assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &r), 0);
	}
	assert_int_equal(r.orig_rax, SYS_mmap);
	return pid;
}

static void malloc_is_not(void **state)
{
	(void)state;
	pid_t pid = stopped_in_malloc(in_malloc);
	const char *why = verdict_on(pid, pid);
	finish(pid);
	assert_string_equal(why, "inside the allocator");
}

static void a_handler_that_interrupted_malloc_is_not(void **state)
{
	(void)state;
	pid_t pid = stopped_in_malloc(in_malloc_with_handler);
	assert_int_equal(kill(pid, SIGUSR1), 0);
	assert_int_equal(ptrace(PTRACE_DETACH, pid, NULL, NULL), 0);
	await_call(pid, SYS_pause);
	stop(pid);
	const char *why = verdict_on(pid, pid);
	finish(pid);
	assert_string_equal(why, "inside the allocator");
}

static void in_handler(void)
{
	on_signal_wait(0);
	kill(getpid(), SIGUSR2);
}

static void on_alternate_stack(size_t bytes)
{
	stack_t s = {.ss_sp = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		     .ss_size = bytes};
	s.ss_sp = (char *)s.ss_sp + (1 << 19);
	sigaltstack(&s, NULL);
	on_signal_wait(SA_ONSTACK);
	kill(getpid(), SIGUSR1);
}

static void on_small_stack(void)
{
	on_alternate_stack(16384);
}

static void on_large_stack(void)
{
	on_alternate_stack(131072);
}

static void a_handler_is_safe_where_its_stack_has_room(void **state)
{
	(void)state;
	expect(in_handler, SYS_pause, "");
	expect(on_large_stack, SYS_pause, "");
	expect(on_small_stack, SYS_pause, "almost full");
}

static void on_context(void)
{
	static ucontext_t there, here;
	getcontext(&there);
	there.uc_stack.ss_sp = malloc(65536);
	there.uc_stack.ss_size = 65536;
	there.uc_link = &here;
	makecontext(&there, in_pause, 0);
	swapcontext(&here, &there);
}

#ifdef __x86_64__
/* As libraries of coroutines do: nothing is above the first frame. */
static void on_stack(char *end)
{
	__asm__ volatile("mov %0, %%rsp\n\tpush $0\n\tjmp *%1" ::"r"(end), "r"(in_pause));
}

static void on_heap_stack(void)
{
	on_stack((char *)malloc(65536) + 65536);
}

static void on_guarded_stack(void)
{
	char *m = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(m + 4096, (1 << 20) - 4096, PROT_READ | PROT_WRITE);
	on_stack(m + (1 << 20));
}

/* sub $8,%rsp; call *%rdi; add $8,%rsp; ret */
static void by_generated_code(void (*function)(void))
{
	static const uint8_t code[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
				       0x48, 0x83, 0xc4, 0x08, 0xc3};
	char *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(m, code, sizeof(code));
	mprotect(m, 4096, PROT_READ | PROT_EXEC);
	((void (*)(void (*)(void)))(uintptr_t)m)(function);
}

static void generated_waits(void)
{
	by_generated_code(in_pause);
}

static void generated_in_handler(int s)
{
	(void)s;
	generated_waits();
}

static void generated_below_handler(void)
{
	signal(SIGUSR2, generated_in_handler);
	kill(getpid(), SIGUSR2);
}

static int generated_in_callback(struct dl_phdr_info *info, size_t bytes, void *to)
{
	(void)info;
	(void)bytes;
	(void)to;
	generated_waits();
	return 0;
}

static void generated_below_callback(void)
{
	dl_iterate_phdr(generated_in_callback, NULL);
}

static void a_coroutine_is_safe_on_a_guarded_stack_only(void **state)
{
	(void)state;
	expect(on_heap_stack, SYS_pause, "coroutine");
	expect(on_guarded_stack, SYS_pause, "");
	expect(on_context, SYS_pause, "stack");
}

static void generated_code_is_safe_where_nothing_below_can_hold_a_lock(void **state)
{
	(void)state;
	expect(generated_waits, SYS_pause, "");
	expect(generated_below_handler, SYS_pause, "without unwind tables");
	expect(generated_below_callback, SYS_pause, "without unwind tables");
}
#endif

static const char *own_allocator_where;

static void with_own_allocator(void)
{
	execl(OWN_ALLOCATOR, OWN_ALLOCATOR, own_allocator_where, (char *)NULL);
}

static void an_allocator_in_the_program_leaves_waits_only(void **state)
{
	(void)state;
	own_allocator_where = "malloc";
	expect(with_own_allocator, SYS_pause, "the program's own allocator");
	own_allocator_where = "";
	expect(with_own_allocator, SYS_pause, "");
	own_allocator_where = "own";
	pid_t pid = child_of(with_own_allocator);
	await_call(pid, SYS_pause);
	stop(pid);
	end_pause(pid);
	for (int i = 0; i < 1000; i++)
		one_step(pid);
	assert_string_not_equal(verdict_on(pid, pid), "");
	finish(pid);
}

static void *sleeps(void *tid)
{
	*(volatile pid_t *)tid = (pid_t)syscall(SYS_gettid);
	in_sleep();
	return NULL;
}

static void *reads(void *tid)
{
	*(volatile pid_t *)tid = (pid_t)syscall(SYS_gettid);
	in_read();
	return NULL;
}

static void *polls(void *tid)
{
	*(volatile pid_t *)tid = (pid_t)syscall(SYS_gettid);
	in_epoll_wait();
	return NULL;
}

/* A stop ends this call with what has come by then. */
static void *receives(void *tid)
{
	char all[2];
	int fd[2];
	*(volatile pid_t *)tid = (pid_t)syscall(SYS_gettid);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0 && write(fd[1], all, 1) == 1)
		recv(fd[0], all, sizeof(all), MSG_WAITALL);
	return NULL;
}

static void with_four_threads(void)
{
	void *(*const begin[])(void *) = {sleeps, polls, reads, receives};
	pthread_t t;
	for (int i = 0; i < 4; i++) {
		if (pthread_create(&t, NULL, begin[i], shared_tid + i) != 0)
			_exit(1);
		while (((volatile pid_t *)shared_tid)[i] == 0)
			usleep(100);
	}
	in_poll();
}

static void threads_without_a_time_limit_come_first(void **state)
{
	struct profile_error err;
	pid_t tids[8];
	(void)state;
	memset(shared_tid, 0, 4 * sizeof(*shared_tid));
	pid_t pid = child_of(with_four_threads);
	await_call(pid, SYS_poll);
	await_call(shared_tid[0], SYS_clock_nanosleep);
	await_call(shared_tid[1], SYS_epoll_wait);
	await_call(shared_tid[2], SYS_read);
	await_call(shared_tid[3], SYS_recvfrom);
	struct safe_points *s = safe_points_open(pid, &err);
	assert_non_null(s);
	assert_int_equal(safe_points_candidates(s, tids, 8), 5);
	assert_int_equal(tids[0], shared_tid[2]);
	assert_int_equal(tids[1], shared_tid[1]);
	assert_int_equal(tids[4], shared_tid[3]);
	assert_int_equal(safe_points_candidates(s, tids, 1), 1);
	/* One that is traced and stopped is not asked. */
	stop(shared_tid[2]);
	assert_int_equal(safe_points_candidates(s, tids, 8), 4);
	assert_int_equal(tids[0], shared_tid[1]);
	assert_int_equal(ptrace(PTRACE_DETACH, shared_tid[2], NULL, NULL), 0);
	safe_points_close(s);
	finish(pid);
}

static char *volatile printed;

/* What is stepped through: calls that hold locks, and others. */
static void steps(void)
{
	char text[64];
	pause();
	kept = malloc(1000);
	void *more = realloc(kept, 300000);
	free(more);
	void *library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
	if (library != NULL)
		dlclose(library);
	snprintf(text, sizeof(text), "%d %s", 17, "x");
	printed = getenv("PATH");
	syscall(SYS_getppid);
	pause();
}

/* One function that is being called: where it returns to tells when it has returned. */
struct held {
	uint64_t sp; /* at its first instruction; 0: none */
};

static bool begins_to_hold(uint64_t pc, uint64_t sp, struct held *h)
{
	void *const functions[] = {(void *)(uintptr_t)malloc, (void *)(uintptr_t)realloc,
				   (void *)(uintptr_t)free, (void *)(uintptr_t)dlopen,
				   (void *)(uintptr_t)dlclose};
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (pc == (uint64_t)(uintptr_t)functions[i])
			return h->sp = sp, true;
	return false;
}

/* Judged at each instruction: the truth is known from the calls and returns. */
static void every_instruction_of_malloc_and_dlopen_is_refused(void **state)
{
	struct profile_error err;
	struct user_regs_struct r;
	struct held held = {.sp = 0};
	unsigned inside = 0, outside = 0, safe = 0;
	(void)state;
	pid_t pid = child_of(steps);
	await_call(pid, SYS_pause);
	stop(pid);
	end_pause(pid);
	struct safe_points *s = safe_points_open(pid, &err);
	assert_non_null(s);
	for (long i = 0; i < 3000000; i++) {
		assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &r), 0);
		uint8_t code[2];
		if (held.sp == 0)
			begins_to_hold(r.rip, r.rsp, &held);
		else if (r.rsp > held.sp)
			held.sp = 0;
		bool ok = safe_points_judge(s, pid) == NULL;
		if (held.sp != 0 && ok)
			fail_msg("safe at %#llx", r.rip);
		inside += held.sp != 0;
		outside += held.sp == 0;
		safe += ok;
		memcpy(code,
		       (const void *)(uintptr_t)(r.rax == SYS_pause ? r.rip : (uintptr_t)steps), 2);
		if (inside > 0 && r.rax == SYS_pause && code[0] == 0x0f && code[1] == 0x05)
			break;
		one_step(pid);
	}
	printf("inside %u, outside %u of which safe %u\n", inside, outside, safe);
	assert_true(inside > 1000 && outside > 100 && safe > 10);
	safe_points_close(s);
	finish(pid);
}

static void functions_are_where_they_are(void **state)
{
	struct profile_error err;
	uint8_t code[16];
	(void)state;
	pid_t pid = child_of(in_pause); /* a fork: the same addresses */
	struct safe_points *s = safe_points_open(pid, &err);
	assert_non_null(s);
	assert_int_equal(safe_points_function(s, "dlopen"), (uint64_t)(uintptr_t)dlopen);
	assert_int_equal(safe_points_function(s, "dlerror"), (uint64_t)(uintptr_t)dlerror);
	assert_int_equal(safe_points_function(s, "getppid"), (uint64_t)(uintptr_t)getppid);
	assert_int_equal(safe_points_function(s, "no_such_function"), 0);
	memcpy(code, (const void *)(uintptr_t)getppid, sizeof(code));
	uint64_t at = safe_points_code(s, code, sizeof(code));
	assert_true(at != 0 && memcmp((const void *)(uintptr_t)at, code, sizeof(code)) == 0);
	safe_points_close(s);
	finish(pid);
}

static int make_shared(void **state)
{
	(void)state;
	shared_tid = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared_tid == MAP_FAILED;
}

int main(void)
{
#ifdef __SANITIZE_ADDRESS__
	return puts("the sanitizer's own functions lie around every wait") < 0;
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_waits_are_safe),
		cmocka_unit_test(a_thread_that_waits_is_safe),
		cmocka_unit_test(what_holds_locks_is_not),
		cmocka_unit_test(no_thread_is_while_another_is_in_a_constructor),
		cmocka_unit_test(a_wrapper_is_safe_where_its_function_waits),
		cmocka_unit_test(a_callback_of_libc_is_safe_where_its_caller_has_a_name),
		cmocka_unit_test(malloc_is_not),
		cmocka_unit_test(a_handler_that_interrupted_malloc_is_not),
		cmocka_unit_test(a_handler_is_safe_where_its_stack_has_room),
		cmocka_unit_test(a_coroutine_is_safe_on_a_guarded_stack_only),
		cmocka_unit_test(an_allocator_in_the_program_leaves_waits_only),
		cmocka_unit_test(generated_code_is_safe_where_nothing_below_can_hold_a_lock),
		cmocka_unit_test(threads_without_a_time_limit_come_first),
		cmocka_unit_test(every_instruction_of_malloc_and_dlopen_is_refused),
		cmocka_unit_test(functions_are_where_they_are),
	};
	return cmocka_run_group_tests(tests, make_shared, NULL);
}
