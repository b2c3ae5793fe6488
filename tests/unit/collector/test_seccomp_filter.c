// SPDX-License-Identifier: GPL-3.0-or-later
/* Filters of containers and services pass, those that would kill are refused by the name of the
 * call. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <seccomp.h>

#include "collector/attach/target/seccomp_filter.h"

#define MOST 4096

static struct sock_filter code[2 * MOST];
static size_t counts[2];

/* libseccomp's filter as number `number` of the chain that begins at *at. */
static void compile(scmp_filter_ctx filter, size_t number, size_t *at)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(seccomp_export_bpf(filter, fileno(file)), 0);
	rewind(file);
	counts[number] = fread(code + *at, sizeof(*code), MOST, file);
	assert_true(counts[number] > 0 && counts[number] < MOST);
	*at += counts[number];
	fclose(file);
	seccomp_release(filter);
}

static int judge(size_t filters, struct profile_error *err)
{
	return seccomp_filter_try(
		&(struct seccomp_chain){.code = code, .count = counts, .filters = filters}, err);
}

static int judge_one(scmp_filter_ctx filter, struct profile_error *err)
{
	size_t at = 0;

	compile(filter, 0, &at);
	return judge(1, err);
}

static bool is_blocked(const char *name)
{
	/* as Docker's documentation of its default profile has them */
	static const char *const blocked[] = {"acct",
					      "add_key",
					      "bpf",
					      "clock_settime",
					      "create_module",
					      "delete_module",
					      "finit_module",
					      "get_kernel_syms",
					      "get_mempolicy",
					      "init_module",
					      "ioperm",
					      "iopl",
					      "kcmp",
					      "kexec_file_load",
					      "kexec_load",
					      "keyctl",
					      "lookup_dcookie",
					      "mbind",
					      "mount",
					      "move_pages",
					      "nfsservctl",
					      "open_by_handle_at",
					      "perf_event_open",
					      "personality",
					      "pivot_root",
					      "process_vm_readv",
					      "process_vm_writev",
					      "ptrace",
					      "query_module",
					      "quotactl",
					      "reboot",
					      "request_key",
					      "set_mempolicy",
					      "setns",
					      "settimeofday",
					      "stime",
					      "swapon",
					      "swapoff",
					      "sysfs",
					      "_sysctl",
					      "umount2",
					      "unshare",
					      "uselib",
					      "userfaultfd",
					      "ustat",
					      "vm86",
					      "vm86old",
					      "clone3"};

	for (size_t i = 0; i < sizeof(blocked) / sizeof(*blocked); i++)
		if (!strcmp(name, blocked[i]))
			return true;
	return false;
}

static void a_filter_like_docker_s_passes(void **state)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	struct profile_error err;

	(void)state;
	for (int n = 0; n < 450; n++) {
		char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, n);

		if (name && !is_blocked(name))
			assert_int_equal(seccomp_rule_add(filter, SCMP_ACT_ALLOW, n, 0), 0);
		free(name);
	}
	assert_int_equal(judge_one(filter, &err), 0);
}

/* Groups of calls name groups. */
static void allow_group(scmp_filter_ctx filter, const char *group)
{
	char command[128], line[128], name[64];

	snprintf(command, sizeof(command),
		 "systemd-analyze --no-pager syscall-filter %s 2>/dev/null", group);
	FILE *list = popen(command, "r");
	assert_non_null(list);
	while (fgets(line, sizeof(line), list)) {
		if (line[0] != ' ' || sscanf(line, " %63s", name) != 1 || *name == '#')
			continue;
		if (*name == '@')
			allow_group(filter, name);
		else if (seccomp_syscall_resolve_name(name) >= 0)
			seccomp_rule_add(filter, SCMP_ACT_ALLOW, seccomp_syscall_resolve_name(name),
					 0);
	}
	pclose(list);
}

static void a_service_s_filter_that_kills_for_all_else_passes(void **state)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	struct profile_error err = {"?"};
	int failed;

	(void)state;
	allow_group(filter, "@system-service");
	failed = judge_one(filter, &err);
	if (counts[0] < 50)
		skip(); /* no systemd-analyze here */
	if (failed)
		print_message("%s\n", err.text);
	assert_int_equal(failed, 0);
}

static scmp_filter_ctx all_but(uint32_t action, int number)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	assert_non_null(filter);
	assert_int_equal(seccomp_rule_add(filter, action, number, 0), 0);
	return filter;
}

static bool is_essential(const char *name)
{
	for (size_t i = 0; i < seccomp_calls_count; i++)
		if (!strcmp(seccomp_calls[i].name, name) && seccomp_calls[i].essential)
			return true;
	return false;
}

static void what_kills_is_refused_by_name_and_what_fails_only_where_it_is_essential(void **state)
{
	static const uint32_t deadly[] = {SCMP_ACT_KILL_PROCESS, SCMP_ACT_KILL_THREAD,
					  SCMP_ACT_TRAP};
	static const uint32_t failing[] = {SCMP_ACT_ERRNO(ENOSYS), SCMP_ACT_ERRNO(EPERM),
					   SCMP_ACT_ERRNO(0),	   SCMP_ACT_ERRNO(EINVAL),
					   SCMP_ACT_ERRNO(ENOENT), SCMP_ACT_TRACE(1)};
	struct profile_error err;

	(void)state;
	for (size_t i = 0; i < seccomp_calls_count; i++) {
		const struct seccomp_call *call = &seccomp_calls[i];

		for (size_t a = 0; a < sizeof(deadly) / sizeof(*deadly); a++) {
			assert_int_equal(judge_one(all_but(deadly[a], call->number), &err), -1);
			if (!strstr(err.text, call->name))
				fail_msg("%s is not in: %s", call->name, err.text);
		}
		for (size_t a = 0;
		     a < sizeof(failing) / sizeof(*failing) && call->number != SYS_rt_sigreturn;
		     a++)
			assert_int_equal(judge_one(all_but(failing[a], call->number), &err),
					 is_essential(call->name) ? -1 : 0);
		assert_int_equal(judge_one(all_but(SCMP_ACT_LOG, call->number), &err), 0);
	}
	assert_int_equal(judge_one(all_but(SCMP_ACT_KILL_PROCESS, SCMP_SYS(reboot)), &err), 0);
}

static void arguments_count(void **state)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	struct profile_error err;

	(void)state;
	/* as MemoryDenyWriteExecute= */
	seccomp_rule_add(
		filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(mmap), 1,
		SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC | PROT_WRITE));
	seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(mprotect), 1,
			 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
	assert_int_equal(judge_one(filter, &err), 0);
	filter = seccomp_init(SCMP_ACT_ALLOW);
	seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mmap), 1,
			 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
	assert_int_equal(judge_one(filter, &err), -1);
	assert_non_null(strstr(err.text, "forbids mmap"));
}

static void the_most_severe_of_all_filters_counts(void **state)
{
	struct profile_error err;
	size_t at = 0;

	(void)state;
	for (int first = 0; first < 2; first++, at = 0) {
		compile(all_but(first ? SCMP_ACT_LOG : SCMP_ACT_KILL_PROCESS, SCMP_SYS(futex)), 0,
			&at);
		compile(all_but(first ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_LOG, SCMP_SYS(futex)), 1,
			&at);
		assert_int_equal(judge(2, &err), -1);
		assert_non_null(strstr(err.text, "kills for futex"));
	}
	assert_int_equal(judge(0, &err), 0);
}

static void blocked_signals_do_not_stop_a_trial(void **state)
{
	struct profile_error err;
	sigset_t all, before;

	(void)state;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	int failed = judge_one(all_but(SCMP_ACT_LOG, SCMP_SYS(reboot)), &err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(failed, 0);
}

/* A child under the filter (none: NULL), stopped by this process, its tracer. */
static pid_t stopped_child(scmp_filter_ctx filter)
{
	int ready[2], status;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (filter && seccomp_load(filter))
			_exit(1);
		if (write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return child;
}

/* The child need not be stopped, nor there, while what was read of it is judged. */
static int read_end_and_judge(pid_t child, struct profile_error *err)
{
	struct seccomp_chain chain;
	int status = seccomp_filter_read(&chain, child, err);

	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (status == 1)
		status = seccomp_filter_judge(&chain, child, err);
	seccomp_filter_free(&chain);
	return status;
}

static int check_child(scmp_filter_ctx filter, struct profile_error *err)
{
	int failed = read_end_and_judge(stopped_child(filter), err);

	seccomp_release(filter);
	return failed;
}

/* A child whose filter computes what it answers for getcwd: it asks another process. */
static pid_t child_that_computes(void)
{
	struct sock_filter own[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getcwd, 0, 2),
		BPF_STMT(BPF_LD | BPF_IMM, SECCOMP_RET_USER_NOTIF), BPF_STMT(BPF_RET | BPF_A, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {sizeof(own) / sizeof(*own), own};
	int status;
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			_exit(1);
		raise(SIGSTOP);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSTOPPED(status));
	return child;
}

static void an_answer_that_is_computed_may_ask_another_process(void **state)
{
	struct profile_error err;

	(void)state;
	if (!seccomp_filter_readable())
		skip();
	assert_int_equal(read_end_and_judge(child_that_computes(), &err), -1);
	assert_non_null(strstr(err.text, "getcwd"));
}

static void the_filters_of_a_stopped_thread_are_read(void **state)
{
	struct profile_error err;

	(void)state;
	if (!seccomp_filter_readable())
		skip();
	assert_int_equal(check_child(NULL, &err), 0);
	assert_int_equal(check_child(all_but(SCMP_ACT_KILL_PROCESS, SCMP_SYS(reboot)), &err), 0);
	assert_int_equal(check_child(all_but(SCMP_ACT_KILL_PROCESS, SCMP_SYS(linkat)), &err), -1);
	assert_non_null(strstr(err.text, "kills for linkat"));
	/* what another process is asked about is not known to be let through */
	assert_int_equal(check_child(all_but(SCMP_ACT_NOTIFY, SCMP_SYS(getcwd)), &err), -1);
	assert_non_null(strstr(err.text, "getcwd"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_filter_like_docker_s_passes),
		cmocka_unit_test(a_service_s_filter_that_kills_for_all_else_passes),
		cmocka_unit_test(
			what_kills_is_refused_by_name_and_what_fails_only_where_it_is_essential),
		cmocka_unit_test(arguments_count),
		cmocka_unit_test(the_most_severe_of_all_filters_counts),
		cmocka_unit_test(blocked_signals_do_not_stop_a_trial),
		cmocka_unit_test(an_answer_that_is_computed_may_ask_another_process),
		cmocka_unit_test(the_filters_of_a_stopped_thread_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
