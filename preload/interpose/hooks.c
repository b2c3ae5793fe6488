// SPDX-License-Identifier: Apache-2.0
/* Functions interposed for upkeep only: they keep our picture of descriptors,
 * loaded code, sandboxes and the end of the program true, and are never
 * recorded. Each does exactly what the original does. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "preload/attach/session.h"
#include "preload/call/call.h"
#include "preload/call/fd_kind.h"
#include "preload/function/function.h"
#include "preload/process/process.h"
#include "preload/python/python.h"
#include "preload/region/region.h"
#include "preload/start/lifecycle.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/header.h"
#include "preload/table/thread.h"

/* As calls that pass through: wrappers.c. */
#define HOOK(ret, name, params)                                                                    \
	EXPORT __attribute__((section("scprof_passed"))) ret scp_##name params __asm__(#name);     \
	ret scp_##name params
#define REAL(ret, name, params) ((ret(*) params)function_original(FN_##name))

HOOK(int, socketpair, (int domain, int type, int protocol, int fd[2]))
{
	int r = REAL(int, socketpair, (int, int, int, int *))(domain, type, protocol, fd);
	if (r == 0) {
		fd_kind_set(fd[0], FD_SOCKET);
		fd_kind_set(fd[1], FD_SOCKET);
	}
	return r;
}

HOOK(int, dup2, (int from, int to))
{
	int r = REAL(int, dup2, (int, int))(from, to);
	if (r >= 0 && from != to)
		fd_kind_set(r, FD_UNKNOWN);
	return r;
}

HOOK(int, dup3, (int from, int to, int flags))
{
	int r = REAL(int, dup3, (int, int, int))(from, to, flags);
	fd_kind_set(r, FD_UNKNOWN);
	return r;
}

#define HOOK_OF_STREAM(ret, name, params, args, fd_of, stream)                                     \
	HOOK(ret, name, params)                                                                    \
	{                                                                                          \
		int saved = errno;                                                                 \
		if (stream)                                                                        \
			fd_kind_set(fd_of(stream), FD_UNKNOWN);                                    \
		errno = saved;                                                                     \
		return REAL(ret, name, params) args;                                               \
	}
HOOK_OF_STREAM(int, fclose, (FILE * f), (f), fileno_unlocked, f)
HOOK_OF_STREAM(int, pclose, (FILE * f), (f), fileno_unlocked, f)
HOOK_OF_STREAM(FILE *, freopen, (const char *path, const char *mode, FILE *f), (path, mode, f),
	       fileno_unlocked, f)
HOOK_OF_STREAM(FILE *, freopen64, (const char *path, const char *mode, FILE *f), (path, mode, f),
	       fileno_unlocked, f)
HOOK_OF_STREAM(int, closedir, (DIR * d), (d), dirfd, d)

HOOK(void, closefrom, (int first))
{
	REAL(void, closefrom, (int))(first);
	fd_kind_forget_range(first < 0 ? 0 : (unsigned)first, ~0u);
}

HOOK(int, close_range, (unsigned first, unsigned last, int flags))
{
	int r = REAL(int, close_range, (unsigned, unsigned, int))(first, last, flags);
	if (r == 0)
		fd_kind_forget_range(first, last);
	return r;
}

/* Other code may come to lie where the unloaded code was: no memo survives. */
HOOK(int, dlclose, (void *handle))
{
	python_note_closing(true);
	int r = REAL(int, dlclose, (void *))(handle);
	region_functions_forget_functions();
	if (process_epoch.now.generation)
		process_next_generation();
	python_note_closing(false);
	return r;
}

HOOK(int, sigaltstack, (const stack_t *new, stack_t *old))
{
	int r = REAL(int, sigaltstack, (const stack_t *, stack_t *))(new, old);
	if (r == 0 && new)
		stack_note_signal_stack((uintptr_t) new->ss_sp,
					new->ss_flags &SS_DISABLE ? 0 : new->ss_size);
	return r;
}

HOOK(int, pthread_setname_np, (pthread_t thread, const char *name))
{
	int r = REAL(int, pthread_setname_np, (pthread_t, const char *))(thread, name);
	if (r == 0)
		thread_renamed(pthread_equal(thread, pthread_self()));
	return r;
}

HOOK(pid_t, fork, (void))
{
	early_writes = true; /* by handlers of pthread_atfork */
	pid_t r = REAL(pid_t, fork, (void))();
	early_writes = false;
	return r;
}

/* A profile is made, and its file lengthened, with the rights that the parent had. */
#define HOOK_OF_RIGHTS(name, params, args)                                                         \
	HOOK(int, name, params)                                                                    \
	{                                                                                          \
		lifecycle_keep_room();                                                             \
		return REAL(int, name, params) args;                                               \
	}
HOOK_OF_RIGHTS(setuid, (uid_t id), (id))
HOOK_OF_RIGHTS(setgid, (gid_t id), (id))
HOOK_OF_RIGHTS(seteuid, (uid_t id), (id))
HOOK_OF_RIGHTS(setegid, (gid_t id), (id))
HOOK_OF_RIGHTS(setreuid, (uid_t real, uid_t id), (real, id))
HOOK_OF_RIGHTS(setregid, (gid_t real, gid_t id), (real, id))
HOOK_OF_RIGHTS(setresuid, (uid_t real, uid_t id, uid_t saved), (real, id, saved))
HOOK_OF_RIGHTS(setresgid, (gid_t real, gid_t id, gid_t saved), (real, id, saved))
HOOK_OF_RIGHTS(setgroups, (size_t n, const gid_t *ids), (n, ids))
HOOK_OF_RIGHTS(initgroups, (const char *name, gid_t id), (name, id))
HOOK_OF_RIGHTS(chroot, (const char *path), (path))
HOOK_OF_RIGHTS(unshare, (int flags), (flags))
HOOK_OF_RIGHTS(setfsuid, (uid_t id), (id))
HOOK_OF_RIGHTS(setfsgid, (gid_t id), (id))
HOOK_OF_RIGHTS(capset, (void *head, const void *data), (head, data))
HOOK_OF_RIGHTS(setns, (int fd, int type), (fd, type))
HOOK_OF_RIGHTS(setrlimit, (int resource, const struct rlimit *limit), (resource, limit))
HOOK_OF_RIGHTS(setrlimit64, (int resource, const struct rlimit64 *limit), (resource, limit))

/* A child of vfork has descriptors of its own, and has noted what they are in its parent's memory.
 */
static void end_vfork(void)
{
	if (!lifecycle_may_begin())
		fd_kind_forget_range(0, ~0u);
}

#define HOOK_OF_EXIT(name)                                                                         \
	HOOK(void, name, (int status))                                                             \
	{                                                                                          \
		end_vfork();                                                                       \
		header_mark_end(SCP_END_QUICK);                                                    \
		wake_page_leave();                                                                 \
		REAL(void, name, (int))(status);                                                   \
	}
HOOK_OF_EXIT(_exit)
HOOK_OF_EXIT(_Exit)

static bool before_exec(void)
{
	int saved = errno;
	end_vfork();
	header_mark_end(SCP_END_EXEC);
	bool discarded = process_discard_if_empty();
	wake_page_leave();
	errno = saved;
	return discarded;
}

static int exec_failed(int r, bool discarded)
{
	int saved = errno;
	early_writes = true; /* it tells its parent */
	wake_page_return();
	if (discarded)
		process_begin_anew();
	else
		header_mark_end(SCP_END_RUNNING);
	errno = saved;
	return r;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla" /* as many as the caller gave, on its stack */
/* The variadic ones end in the same call, as libc's own do. `more`: what follows the arguments. */
#define HOOK_OF_EXEC_LIST(name, more, real, types, args)                                           \
	HOOK(int, name, (const char *path, const char *first, ...))                                \
	{                                                                                          \
		va_list list;                                                                      \
		size_t count = 0;                                                                  \
		va_start(list, first);                                                             \
		for (const char *a = first; a; a = va_arg(list, char *))                           \
			count++;                                                                   \
		va_end(list);                                                                      \
		char *argv[count + 1];                                                             \
		va_start(list, first);                                                             \
		argv[0] = (char *)(uintptr_t)first;                                                \
		for (size_t i = 1; i <= count; i++) /* the last is the NULL */                     \
			argv[i] = va_arg(list, char *);                                            \
		more;                                                                              \
		va_end(list);                                                                      \
		bool discarded = before_exec();                                                    \
		return exec_failed(REAL(int, real, types) args, discarded);                        \
	}
HOOK_OF_EXEC_LIST(execl, , execv, (const char *, char *const[]), (path, argv))
HOOK_OF_EXEC_LIST(execlp, , execvp, (const char *, char *const[]), (path, argv))
HOOK_OF_EXEC_LIST(execle, char *const *envp = va_arg(list, char *const *), execve,
		  (const char *, char *const[], char *const[]), (path, argv, envp))
#pragma GCC diagnostic pop

#define HOOK_OF_EXEC(name, params, args)                                                           \
	HOOK(int, name, params)                                                                    \
	{                                                                                          \
		bool discarded = before_exec();                                                    \
		return exec_failed(REAL(int, name, params) args, discarded);                       \
	}
HOOK_OF_EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
HOOK_OF_EXEC(execv, (const char *path, char *const argv[]), (path, argv))
HOOK_OF_EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
HOOK_OF_EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]),
	     (file, argv, envp))
HOOK_OF_EXEC(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
HOOK_OF_EXEC(execveat,
	     (int dir, const char *path, char *const argv[], char *const envp[], int flags),
	     (dir, path, argv, envp, flags))
