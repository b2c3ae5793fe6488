// SPDX-License-Identifier: GPL-3.0-or-later
/* Each refusal is provoked by a process that is like that, and says what, why and what to do; what
 * the machine at hand cannot be made to do (Yama) is judged by given facts. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include <seccomp.h>

#include "collector/attach/refusal/refusal.h"
#include "collector/attach/refusal/refusal_private.h"
#include "collector/attach/target/seccomp_filter.h"

/* A sanitizer is in the test's own children, too, which are refused for that. */
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static char directory[] = "/tmp/scprof-test.XXXXXX";
static struct refusal_facts facts;
static struct profile_error err;

static bool status_has(pid_t pid, const char *line)
{
	char path[64], text[8192];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return strstr(text, line);
}

static void await_status(pid_t pid, const char *line)
{
	for (int i = 0; i < 90000 && !status_has(pid, line); i++) /* a limit for hangs */
		usleep(10000);
	assert_true(status_has(pid, line));
}

/* A child that does something and says so by a byte, and then waits to be ended. */
typedef void act(void *);

static void nothing(void *context)
{
	(void)context;
}

static int ready_fd;

static void be_ready(void)
{
	if (write(ready_fd, "r", 1) != 1)
		_exit(1);
}

static pid_t child_that(act *does, void *context)
{
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (!child) {
		ready_fd = ready[1];
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		does(context);
		be_ready();
		for (;;)
			pause();
	}
	close(ready[1]);
	ssize_t got = read(ready[0], &byte, 1);
	close(ready[0]);
	if (got != 1) { /* it may not, here */
		waitpid(child, NULL, 0);
		skip();
	}
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static int check(pid_t pid)
{
	return refusal_check(pid, LIBRARY, false, &facts, &err);
}

static void expect_words(int result, const char *words)
{
	if (result != -1 || !strstr(err.text, words))
		print_message("%d, \"%s\" instead of \"%s\"\n", result, result ? err.text : "",
			      words);
	assert_int_equal(result, -1);
	assert_non_null(strstr(err.text, words));
	assert_null(strchr(err.text, '\n'));
}

static void expect_refusal(pid_t pid, const char *words)
{
	expect_words(check(pid), words);
}

static void child_is_refused(act *does, void *context, const char *words)
{
	pid_t child = child_that(does, context);
	int result = check(child);

	end(child);
	expect_words(result, words);
}

/* The file `name` of the directory by the command; where its compiler is not here, the test is
 * skipped. */
static void build(const char *command)
{
	char shell[512];

	snprintf(shell, sizeof(shell), "cd %s && { %s; } >build.log 2>&1", directory, command);
	if (system(shell))
		skip();
}

/* Started, and seen to run it: its own byte comes by its standard output. */
static void expect_program(const char *runner, const char *words)
{
	char byte, command[256];
	int out[2];

	snprintf(command, sizeof(command), "exec %s %s/program", runner, directory);
	assert_int_equal(pipe(out), 0);
	pid_t child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], 1);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(1);
	}
	close(out[1]);
	ssize_t got = read(out[0], &byte, 1);
	int result = got == 1 ? check(child) : 0;
	close(out[0]);
	end(child);
	if (got != 1)
		skip();
	if (words)
		expect_words(result, words);
	else
		assert_int_equal(result, 0);
}

static void a_usual_process_is_not_refused(void **state)
{
	pid_t child = child_that(nothing, NULL);
	struct stat st;

	(void)state;
	assert_int_equal(check(child), 0);
	assert_int_equal(facts.target.pid, child);
	assert_true(facts.target.process_start > 0);
	assert_int_equal(facts.uid, geteuid());
	assert_int_equal(facts.threads, 1);
	assert_int_equal(facts.inner_pid, child);
	assert_false(facts.preloaded || *facts.wake);
	assert_int_equal(stat(facts.exe, &st), 0);
	assert_true(refusal_sees(&facts, "/usr"));
	end(child);
	assert_int_equal(check(getppid()), 0); /* a shell that runs us is as others */
}

static void what_is_no_process_is_refused(void **state)
{
	(void)state;
	expect_refusal(0, "there is none");
	expect_refusal(-1, "there is none");
	expect_refusal(4194305, "there is none");
	expect_refusal(getpid(), "scprof itself");
}

static void *other_thread(void *context)
{
	pthread_barrier_t *barrier = context;

	pthread_barrier_wait(barrier);
	check((pid_t)syscall(SYS_gettid));
	return NULL;
}

static void a_thread_is_refused(void **state)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	(void)state;
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, other_thread, &barrier), 0);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	expect_words(-1, "it is a thread of a process");
}

static void a_thread_of_the_kernel_is_refused(void **state)
{
	char name[64] = "";
	FILE *file = fopen("/proc/2/comm", "r");

	(void)state;
	if (file) {
		name[fread(name, 1, sizeof(name) - 1, file)] = '\0';
		fclose(file);
	}
	if (strcmp(name, "kthreadd\n"))
		skip();
	expect_refusal(2, "thread of the kernel");
}

static void a_zombie_is_refused(void **state)
{
	siginfo_t info;
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	int result = check(child);
	struct refusal_process p = {.pid = child, .name = "x"};
	struct profile_error later;
	int refused = refusal_access_try(&p, (uint64_t)(uintptr_t)&p, &later);
	waitpid(child, NULL, 0);
	expect_words(result, "has ended");
	err = later; /* as one that ends between two steps */
	expect_words(refused, "has ended just now");
}

static void *be_ready_and_stay(void *context)
{
	(void)context;
	for (;;)
		pause();
	return NULL;
}

static void end_first_thread(void *context)
{
	pthread_t thread;

	(void)context;
	if (pthread_create(&thread, NULL, be_ready_and_stay, NULL))
		_exit(1);
	be_ready();
	pthread_exit(NULL);
}

static void a_process_without_its_first_thread_is_refused(void **state)
{
	pid_t child = child_that(end_first_thread, NULL);

	(void)state;
	await_status(child, "\nState:\tZ");
	int result = check(child);
	end(child);
	expect_words(result, "its first thread has ended");
}

static void a_stopped_process_is_refused(void **state)
{
	int status;
	pid_t child = child_that(nothing, NULL);

	(void)state;
	kill(child, SIGSTOP);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	int result = check(child);
	end(child);
	expect_words(result, "kill -CONT");
}

static void trace(void *context)
{
	if (ptrace(PTRACE_SEIZE, *(pid_t *)context, NULL, NULL))
		_exit(1);
	prctl(PR_SET_NAME, "a tracer");
}

static void a_traced_process_is_refused_and_its_tracer_named(void **state)
{
	pid_t child = child_that(nothing, NULL);
	pid_t tracer = child_that(trace, &child);
	char words[64];

	(void)state;
	snprintf(words, sizeof(words), "end that one, then try again (process %d)", (int)tracer);
	int result = check(child);
	end(tracer);
	end(child);
	expect_words(result, words);
}

static void in_strict_mode(void *context)
{
	(void)context;
	be_ready();
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	for (;;) /* all but read, write and exit kills */
		;
}

static void strict_seccomp_mode_is_refused(void **state)
{
	pid_t child = child_that(in_strict_mode, NULL);

	(void)state;
	await_status(child, "\nSeccomp:\t1");
	int result = check(child);
	end(child);
	expect_words(result, "strict seccomp mode");
}

static void begin_vfork(void *context)
{
	(void)context;
	be_ready();
	if (!vfork())
		for (;;)
			syscall(SYS_pause);
}

static void a_child_of_vfork_is_refused(void **state)
{
	char path[96];
	int inner = 0;
	pid_t child = child_that(begin_vfork, NULL);

	(void)state;
	await_status(child, "\nState:\tD");
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)child, (int)child);
	FILE *file = fopen(path, "r");
	if (!file || fscanf(file, "%d", &inner) != 1) {
		end(child);
		skip();
	}
	fclose(file);
	int parent = check(child),
	    result = check(inner); /* the parent's thread does not stop yet */
	kill(inner, SIGKILL);
	end(child);
	expect_words(result, "in the memory of process");
	assert_int_equal(parent, 0);
}

#define IDLE                                                                                       \
	"printf '#include <unistd.h>\\nint main(void){write(1,\"r\",1);for(;;)pause();}' "         \
	">program.c"

static void dynamic_programs_pass_and_static_ones_are_refused(void **state)
{
	(void)state;
	build(IDLE " && cc -o program program.c");
	expect_program("", NULL);
	build("cc -static -o program program.c");
	expect_program("", "a static program");
	build("cc -static-pie -o program program.c");
	expect_program("", "a static program");
}

static void musl_is_to_be_started_dormant(void **state)
{
	(void)state;
	build(IDLE " && musl-gcc -o program program.c");
	expect_program("", "SCPROF_STOPPED=1, or use `scprof run`");
}

static void a_sanitizer_is_refused(void **state)
{
	(void)state;
	build(IDLE " && gcc -fsanitize=address -o program program.c");
	expect_program("", "built with a sanitizer");
}

static void a_sanitizer_inside_is_refused(void **state)
{
	(void)state;
	build("printf '#include <unistd.h>\\nvoid __tsan_init(void){}\\n"
	      "int main(void){write(1,\"r\",1);for(;;)pause();}' >program.c && "
	      "cc -rdynamic -o program program.c");
	expect_program("", "built with a sanitizer");
}

static void a_32_bit_program_is_refused(void **state)
{
	(void)state;
	build("printf 'void _start(void){__asm__ volatile(\"mov $4,%%eax;mov $1,%%ebx;"
	      "mov $message,%%ecx;mov $1,%%edx;int $0x80;1:mov $29,%%eax;int $0x80;jmp 1b;"
	      "message:.byte 114\");}' | sed s/%%/%/g >program.c; "
	      "gcc -m32 -nostdlib -static -fno-pic -no-pie -o program program.c && "
	      "test x$(./program & sleep 0.2; kill $!) = xr");
	expect_program("", "a 32-bit program");
}

static void emulators_are_refused(void **state)
{
	(void)state;
	build(IDLE " && cc -o program program.c && command -v valgrind");
	expect_program("valgrind -q", "runs in an emulator");
	build("aarch64-linux-gnu-gcc -static -o program program.c && command -v qemu-aarch64");
	expect_program("qemu-aarch64", "runs in an emulator");
}

static void a_program_without_its_libc_yet_is_given_a_moment_and_refused(void **state)
{
	(void)state;
	build("printf 'void _start(void){__asm__ volatile(\"mov $1,%%eax;mov $1,%%edi;"
	      "lea m(%%rip),%%rsi;mov $1,%%edx;syscall;1:mov $34,%%eax;syscall;jmp 1b;"
	      "m:.byte 114\");}' | sed s/%%/%/g >program.c; gcc -nostdlib -fPIE -pie -o program "
	      "program.c && "
	      "readelf -lW program | grep -q ld-linux");
	expect_program("", "is being executed just now");
}

static void execute_for_ever(void *context)
{
	(void)context;
	be_ready();
	execl("/bin/sh", "sh", "-c", "exec /bin/sh -c \"$0\" \"$0\"",
	      "exec /bin/sh -c \"$0\" \"$0\"", NULL);
	_exit(1);
}

static void a_process_that_executes_all_the_time_does_no_harm(void **state)
{
	pid_t child = child_that(execute_for_ever, NULL);

	(void)state;
	for (int i = 0; i < 100; i++)
		if (check(child))
			assert_non_null(strstr(err.text, "cannot attach to process"));
	end(child);
}

static void expect_explained(struct refusal_access a, const char *words)
{
	struct refusal_process p = {.pid = 5, .name = "x", .owner = {.uid = 1000}};

	a.error = EPERM;
	expect_words(refusal_access_explain(&p, &a, &err), words);
}

static void who_may_trace_is_explained(void **state)
{
	(void)state;
	expect_explained((struct refusal_access){.tool_uid = 1000, .yama = 1},
			 "ptrace_scope forbids it: run scprof as root");
	expect_explained((struct refusal_access){.tool_uid = 1000, .yama = 1}, "SCPROF_STOPPED=1");
	expect_explained((struct refusal_access){.tool_uid = 1000, .yama = 3},
			 "until the machine starts anew");
	expect_explained((struct refusal_access){.may_trace = true, .yama = 3},
			 "ptrace_scope is 3");
	expect_explained((struct refusal_access){.tool_uid = 1000}, "closed to its own user");
	expect_explained((struct refusal_access){.tool_uid = 1001, .yama = 1},
			 "it is another user's");
	expect_explained((struct refusal_access){0}, "--cap-add=SYS_PTRACE");
	expect_explained((struct refusal_access){.may_trace = true},
			 "not even scprof's CAP_SYS_PTRACE");
}

/* The check as user 1000, in a process of its own: 0, or -1 and what it says. */
static int check_as_user(pid_t pid)
{
	struct {
		int result;
		struct profile_error said;
	} *a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	pid_t child = fork();
	if (!child) {
		if (!setresgid(1000, 1000, 1000) && !setresuid(1000, 1000, 1000))
			a->result = refusal_check(pid, NULL, false, &facts, &a->said);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	int result = a->result;
	err = a->said;
	munmap(a, sizeof(*a));
	return result;
}

static void as_user(void *context)
{
	uid_t uid = *(const uid_t *)context;

	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 1);
}

static void closed(void *context)
{
	as_user(context);
	prctl(PR_SET_DUMPABLE, 0);
}

static void filtered(void *context)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	as_user(context);
	if (seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(reboot), 0) ||
	    seccomp_load(filter))
		_exit(1);
}

static void another_user_s_closed_and_filtered_processes_are_refused_to_a_user(void **state)
{
	uid_t same = 1000, other = 1001;
	struct profile_error said[4];
	int result[4], by_root[4];

	(void)state;
	if (geteuid())
		skip();
	pid_t child[] = {child_that(as_user, &other), child_that(closed, &same),
			 child_that(filtered, &same), child_that(as_user, &same)};
	for (int i = 0; i < 4; i++) {
		result[i] = check_as_user(child[i]);
		said[i] = err;
		by_root[i] = refusal_check(child[i], NULL, false, &facts, &err);
		end(child[i]);
	}
	static const char *const words[] = {"it is another user's", "closed to its own user",
					    "only root of the whole machine can read it"};
	for (int i = 0; i < 3; i++) {
		err = said[i];
		expect_words(result[i], words[i]);
	}
	assert_int_equal(result[3], 0);
	assert_int_equal(by_root[0] | by_root[1] | by_root[3], 0);
}

/* A container: its first process gets a filter, and its processes cannot read it. */
struct container {
	uint32_t action; /* for linkat */
	int number;	 /* of that call */
	bool own;	 /* the target has a filter more */
	int result;
	struct profile_error said;
};

static void add_rule(uint32_t action, int number)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (seccomp_rule_add(filter, action, number, 0) || seccomp_load(filter))
		_exit(1);
	seccomp_release(filter);
}

static void run_container(struct container *in)
{
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, NULL) || setresgid(1000, 1000, 1000) ||
	    setresuid(1000, 1000, 1000))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
	add_rule(in->action, in->number);
	pid_t target = fork();
	if (!target) {
		if (in->own)
			add_rule(SCMP_ACT_ERRNO(EPERM), SCMP_SYS(reboot));
		for (;;)
			pause();
	}
	await_status(target, in->own ? "\nSeccomp_filters:\t2" : "\nSeccomp_filters:\t1");
	in->result = refusal_check(target, NULL, false, &facts, &in->said);
	if (ptrace(PTRACE_SEIZE, target, NULL, NULL) ||
	    ptrace(PTRACE_INTERRUPT, target, NULL, NULL) || waitpid(target, NULL, 0) != target)
		_exit(1);
	struct profile_error again;
	struct seccomp_chain chain;
	if ((seccomp_filter_read(&chain, target, &again) != 1 ||
	     seccomp_filter_judge(&chain, target, &again)) != !!in->result)
		in->result = 2;
	_exit(0); /* and all its processes end */
}

static void check_in_container(struct container what, struct container *in)
{
	*in = what;
	in->result = 1;
	pid_t outer = fork();
	if (!outer) {
		if (unshare(CLONE_NEWNS | CLONE_NEWPID))
			_exit(1);
		pid_t first = fork();
		if (!first)
			run_container(in);
		waitpid(first, NULL, 0);
		_exit(0);
	}
	waitpid(outer, NULL, 0);
	if (in->result == 1)
		skip();
	err = in->said;
}

static void a_container_s_filter_is_tried_and_one_s_own_refused(void **state)
{
	struct container *in =
		mmap(NULL, sizeof(*in), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (geteuid())
		skip();
	check_in_container((struct container){.action = SCMP_ACT_ERRNO(EPERM),
					      .number = SCMP_SYS(ptrace),
					      .own = false},
			   in);
	if (in->result)
		print_message("%s\n", err.text);
	assert_int_equal(in->result, 0);
	check_in_container((struct container){.action = SCMP_ACT_ERRNO(EPERM),
					      .number = SCMP_SYS(ptrace),
					      .own = true},
			   in);
	expect_words(in->result, "a seccomp filter of its own");
	check_in_container((struct container){.action = SCMP_ACT_KILL_PROCESS,
					      .number = SCMP_SYS(linkat),
					      .own = false},
			   in);
	expect_words(in->result, "kills for linkat");
	check_in_container((struct container){.action = SCMP_ACT_ERRNO(EPERM),
					      .number = SCMP_SYS(mremap),
					      .own = false},
			   in);
	expect_words(in->result, "forbids mremap");
	check_in_container((struct container){.action = SCMP_ACT_ERRNO(EPERM),
					      .number = SCMP_SYS(fallocate),
					      .own = false},
			   in);
	assert_int_equal(in->result, 0);
	munmap(in, sizeof(*in));
}

/* A mount namespace in which the library's directory is another file system. */
struct hidden {
	unsigned long flags;
	const char *contents; /* of the library there; NULL: none; "": the true one */
	bool fifo;
};

static void copy(const char *from, const char *to)
{
	char command[2048];

	snprintf(command, sizeof(command), "cp %s %s", from, to);
	if (system(command))
		_exit(1);
}

static void hide(void *context)
{
	const struct hidden *h = context;
	char kept[256], folder[1024];

	snprintf(kept, sizeof(kept), "%s/kept.so", directory);
	snprintf(folder, sizeof(folder), "%s", LIBRARY);
	*strrchr(folder, '/') = '\0';
	if (h->contents)
		copy(*h->contents ? h->contents : LIBRARY, kept);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", folder, "tmpfs", h->flags, NULL))
		_exit(1);
	if (h->fifo && mkfifo(LIBRARY, 0644))
		_exit(1);
	if (h->contents)
		copy(kept, LIBRARY);
}

static void a_library_that_is_not_there_is_refused_and_a_copy_offered(void **state)
{
	struct hidden none = {0}, same = {.contents = ""}, fifo = {.fifo = true},
		      noexec = {.contents = "", .flags = MS_NOEXEC};

	(void)state;
	if (geteuid())
		skip();
	child_is_refused(hide, &none, "(No such file or directory): add --copy-to DIR");
	child_is_refused(hide, &noexec, "noexec");
	child_is_refused(hide, &fifo, "(it is no file)");
	pid_t child = child_that(hide, &same);
	int result = check(child);
	bool sees = refusal_sees(&facts, LIBRARY);
	end(child);
	assert_int_equal(result, 0);
	assert_false(sees); /* it is the same, and not the same file */
	child = child_that(hide, &none);
	result = refusal_check(child, NULL, false, &facts, &err);
	end(child);
	assert_int_equal(result, 0);
}

static void in_new_namespaces(void *context)
{
	if (unshare(*(const int *)context))
		_exit(1);
	if (*(const int *)context & CLONE_NEWPID) {
		pid_t inner = fork();

		if (!inner) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		if (inner < 0)
			_exit(1);
	}
}

static pid_t first_child(pid_t pid)
{
	char path[96];
	int child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *file = fopen(path, "r");
	if (file && fscanf(file, "%d", &child) != 1)
		child = 0;
	if (file)
		fclose(file);
	return child;
}

static void other_namespaces_pass(void **state)
{
	int user = CLONE_NEWUSER, pids = CLONE_NEWPID;

	(void)state;
	if (geteuid())
		skip();
	pid_t child = child_that(in_new_namespaces, &user);
	int result = check(child);
	end(child);
	assert_int_equal(result, 0);
	child = child_that(in_new_namespaces, &pids);
	pid_t first = first_child(child), inner;
	result = check(first);
	inner = facts.inner_pid;
	kill(first, SIGKILL);
	end(child);
	assert_int_equal(result, 0);
	assert_int_equal(inner, 1);
}

static void map_wake_page(void *context)
{
	(void)context;
	int fd = open("scprof.x.1.wake", O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 8192) ||
	    mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		_exit(1);
}

static void map_wake_page_elsewhere(void *context)
{
	map_wake_page(context);
	if (unshare(CLONE_NEWNS))
		_exit(1);
}

static void a_wake_page_is_found_and_missed(void **state)
{
	char page[128], there[160];
	pid_t child = child_that(map_wake_page, NULL);

	(void)state;
	snprintf(page, sizeof(page), "/proc/%d/root%s/scprof.x.1.wake", (int)child, directory);
	int result = refusal_check(child, NULL, true, &facts, &err);
	end(child);
	assert_int_equal(result, 0);
	assert_string_equal(facts.wake, page);
	child = child_that(nothing, NULL);
	result = refusal_check(child, NULL, true, &facts, &err);
	end(child);
	assert_int_equal(result, 0); /* by ptrace, then */
	assert_string_equal(facts.wake, "");
	if (geteuid())
		skip();
	child = child_that(map_wake_page_elsewhere, NULL);
	result = refusal_check(child, NULL, true, &facts, &err);
	snprintf(there, sizeof(there), "/proc/%d/root%s/scprof.x.1.wake", (int)child, directory);
	end(child);
	assert_int_equal(result, 0);
	assert_string_equal(facts.wake, there);
}

static void a_number_that_is_used_again_is_another_process(void **state)
{
	pid_t child = child_that(nothing, NULL);
	struct clone_args again = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&child, .set_tid_size = 1};

	(void)state;
	assert_int_equal(check(child), 0);
	uint64_t begun = facts.target.process_start;
	end(child);
	usleep(30000); /* the kernel counts hundredths of a second */
	pid_t second = (pid_t)syscall(SYS_clone3, &again, sizeof(again));
	if (!second)
		for (;;)
			pause();
	if (second < 0)
		skip();
	assert_int_equal(second, child);
	int result = check(second);
	end(second);
	assert_int_equal(result, 0);
	assert_int_not_equal(facts.target.process_start, begun);
}

static void crafted_texts_are_read_to_their_end_and_no_further(void **state)
{
	static const char maps[] = "\n"
				   "zz\n"
				   "1000-2000 r--p 00000000 00:00 0\n"
				   "3000-4000 r-xp 00001000 00:00 7 /x/libc.so.6\n"
				   "5000-6000 r--p 00000000 00:00 7 /a b\\012/libc-2.31.so\n"
				   "6000-7000 r--p 00000000 00:00 7 /x/libc.so.6\n"
				   "7000-8000 rw-s 00000000 00:00 7 /x/scprof.p.1.wake (deleted)\n"
				   "8000-9000 r--p 00000000 00:00 7 /x/libscprof.so (deleted)\n"
				   "9000-a000 r--p 00000000 00:00 7 libasan.so.8\n"
				   "a000-b000 r--p 00000000";
	struct refusal_maps *m = malloc(sizeof(*m));
	FILE *file = fmemopen((void *)(uintptr_t)maps, sizeof(maps) - 1, "r");

	(void)state;
	refusal_program_parse_maps(file, m);
	fclose(file);
	assert_int_equal(m->readable, 0x1000);
	assert_int_equal(m->libc, 0x5000);
	assert_true(m->preloaded);
	free(m);
}

static int set_up(void **state)
{
	(void)state;
	setenv("SCPROF_LIB", LIBRARY, 1);
	return !mkdtemp(directory) || chmod(directory, 0755) || chdir(directory);
}

/* A library that any user can open: the checkout may lie in a folder that only its owner enters. */
static int with_copy(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/libscprof.so", directory);
	copy(LIBRARY, path);
	return setenv("SCPROF_LIB", path, 1);
}

static int without_copy(void **state)
{
	(void)state;
	return setenv("SCPROF_LIB", LIBRARY, 1);
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return chdir("/") || system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_may_trace_is_explained),
		cmocka_unit_test(crafted_texts_are_read_to_their_end_and_no_further),
		cmocka_unit_test(a_usual_process_is_not_refused),
		cmocka_unit_test(what_is_no_process_is_refused),
		cmocka_unit_test(a_thread_is_refused),
		cmocka_unit_test(a_thread_of_the_kernel_is_refused),
		cmocka_unit_test(a_zombie_is_refused),
		cmocka_unit_test(a_process_without_its_first_thread_is_refused),
		cmocka_unit_test(a_stopped_process_is_refused),
		cmocka_unit_test(a_traced_process_is_refused_and_its_tracer_named),
		cmocka_unit_test(strict_seccomp_mode_is_refused),
		cmocka_unit_test(a_child_of_vfork_is_refused),
		cmocka_unit_test(dynamic_programs_pass_and_static_ones_are_refused),
		cmocka_unit_test(musl_is_to_be_started_dormant),
		cmocka_unit_test(a_sanitizer_is_refused),
		cmocka_unit_test(a_sanitizer_inside_is_refused),
		cmocka_unit_test(a_32_bit_program_is_refused),
		cmocka_unit_test(emulators_are_refused),
		cmocka_unit_test(a_program_without_its_libc_yet_is_given_a_moment_and_refused),
		cmocka_unit_test(a_process_that_executes_all_the_time_does_no_harm),
		cmocka_unit_test_setup_teardown(
			another_user_s_closed_and_filtered_processes_are_refused_to_a_user,
			with_copy, without_copy),
		cmocka_unit_test_setup_teardown(a_container_s_filter_is_tried_and_one_s_own_refused,
						with_copy, without_copy),
		cmocka_unit_test(a_library_that_is_not_there_is_refused_and_a_copy_offered),
		cmocka_unit_test(other_namespaces_pass),
		cmocka_unit_test(a_wake_page_is_found_and_missed),
		cmocka_unit_test(a_number_that_is_used_again_is_another_process),
	};
	size_t count = sizeof(tests) / sizeof(*tests);

	return _cmocka_run_group_tests("tests", tests, SANITIZED ? 2 : count, set_up, tear_down);
}
