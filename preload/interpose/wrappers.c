// SPDX-License-Identifier: Apache-2.0
/* The wrappers, made from wrappers.def. Each decides whether this call is
 * recorded, brackets the original with call_begin and call_end, and nothing
 * else. They are defined under other C names with the symbol as assembler name,
 * so that libc's own prototypes, macros and redirections do not interfere. */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "preload/call/call_fast.h"
#include "preload/filter/control.h"
#include "preload/call/fd_kind.h"
#include "preload/call/look.h"
#include "preload/function/function.h"
#include "preload/start/lifecycle.h"
#include "preload/process/process.h"
#include "preload/system/sys.h"

static uint32_t failure_class(int error)
{
	switch (error) {
	case EAGAIN:
#if EWOULDBLOCK != EAGAIN
	case EWOULDBLOCK:
#endif
	case EINTR:
	case EINPROGRESS:
	case EALREADY:
		return SCP_WOULD_BLOCK;
	case ETIMEDOUT:
		return SCP_TIMEOUT;
	default:
		return SCP_ERROR;
	}
}

static inline struct call_result result_call(long r)
{
	return (struct call_result){likely(r >= 0) ? SCP_COMPLETED : failure_class(errno), 0};
}

/* Of a function that waits for descriptors: 0 of them after a wait that could end is a timeout. One
 * that was not to wait asked what is ready: nothing yet. */
static COLD uint32_t waiting_class(int r, bool at_once)
{
	if (r == 0)
		return at_once ? SCP_WOULD_BLOCK : SCP_TIMEOUT;
	return failure_class(errno);
}

/* Made where it is needed: the compiler would keep a register for it all the way. */
static inline uint64_t no_bytes(void)
{
	uint64_t zero = 0;
	__asm__("" : "+r"(zero));
	return zero;
}

/* Of epoll_pwait2, whose timeout libc does not read: the kernel says whether it is there, still. */
static COLD bool is_at_once(const struct timespec *t)
{
	return !sys_sandboxed && sys_can_read((uintptr_t)&t->tv_sec) &&
	       sys_can_read((uintptr_t)&t->tv_nsec) && !t->tv_sec && !t->tv_nsec;
}

static inline struct call_result result_bytes(long r)
{
	if (likely(r >= 0))
		return (struct call_result){SCP_COMPLETED, (uint64_t)r};
	return (struct call_result){failure_class(errno), no_bytes()};
}

static inline struct call_result result_received(long r, int flags)
{
	if (unlikely(r >= 0 && (flags & MSG_PEEK)))
		return (struct call_result){SCP_PEEK, 0};
	return result_bytes(r);
}

static inline struct call_result result_messages(long r, const struct mmsghdr *msgs, int flags)
{
	uint64_t bytes = 0;
	for (long i = 0; i < r; i++)
		bytes += msgs[i].msg_len;
	return result_received(r < 0 ? r : (long)bytes, flags);
}

static inline struct call_result result_code(long r)
{
	return (struct call_result){r == 0 ? SCP_COMPLETED : SCP_ERROR, 0};
}

static inline struct call_result result_pointer(const void *r)
{
	return (struct call_result){r ? SCP_COMPLETED : SCP_ERROR, 0};
}

#define NOTHING ((void)0)
#define RESULT_WAIT(at_once)                                                                       \
	((struct call_result){likely(r > 0) ? SCP_COMPLETED : waiting_class(r, at_once), 0})
/* Before the call: the kernel changes the timeout of select, and other threads may do anything to
 * any while this one waits. glibc reads it there, too. */
#define NOTE_AT_ONCE(t, fraction)                                                                  \
	const bool at_once __attribute__((unused)) = (t) && !(t)->tv_sec && !(t)->fraction
#define RESULT_FOUND result_code(r == 0 && !*out ? -1 : r) /* 0 and no host: not found */

/* Not by an always-recorded group: by a descriptor, or not looked at yet, or stopped. */
static COLD bool is_recorded_otherwise(uint32_t always, uint32_t if_socket, int fd1, int fd2)
{
	lifecycle_wake();
	uint32_t on = process_groups;
	if (on & always)
		return true;
	return (on & if_socket) && (fd_kind_is_socket(fd1) || (fd2 >= 0 && fd_kind_is_socket(fd2)));
}

/* Each test is one instruction that reads memory. */
static inline __attribute__((always_inline)) bool is_recorded(uint32_t always, uint32_t if_socket,
							      int fd1)
{
	if (likely(process_groups & always))
		return true;
	compiler_barrier();
	return if_socket && (process_groups & if_socket) && likely((unsigned)fd1 < FD_KINDS) &&
	       fd_kinds[fd1] == FD_SOCKET;
}

/* Not recorded by what is_recorded looked at: nor by anything else? */
static inline __attribute__((always_inline)) bool is_passed(uint32_t if_socket, int fd1, int fd2)
{
	uint32_t on = process_groups;
	if (unlikely(on >= GROUPS_PAUSED))
		return false;
	return !if_socket || !(on & if_socket) ||
	       ((unsigned)fd1 < FD_KINDS && fd_kinds[fd1] == FD_OTHER && fd2 < 0);
}

/* From the fast path to the slow one. Takes values, so that the fast path keeps
 * them in registers. */
static COLD void end_slowly(struct scp_thread *thread, struct scp_site *site, uint64_t began_at,
			    uint32_t generation, uint64_t now, uint64_t cfa,
			    uint32_t function_bytes, uint32_t outcome, uint64_t bytes)
{
	struct scp_call call = {.thread = thread,
				.site = site,
				.began_at = began_at,
				.cfa = cfa,
				.generation = generation,
				.function = function_bytes >> 1};
	call_end_at(&call, (struct call_result){outcome, bytes}, function_bytes & 1, now, 0);
}

/* Return through the fast path of one clock, where it can be taken. */
#define FAST_PATH(page, ret, name, args, before, result, has_bytes, after)                         \
	fast = call_fast_begin(page, function_is_ordered[FN_##name], FN_##name,                    \
			       ARCH_RETURN_ADDRESS(), ARCH_CALLER_SP(), ARCH_CALLER_FP());         \
	if (likely(fast.thread)) {                                                                 \
		before;                                                                            \
		volatile const uint32_t generation = fast.generation; /* not in a register */      \
		ret r = real args;                                                                 \
		uint64_t now = call_fast_clock_end(page, function_is_ordered[FN_##name]);          \
		struct call_result what = result;                                                  \
		fast.generation = generation;                                                      \
		if (unlikely(!call_fast_end(page, &fast, now, ARCH_CALLER_SP(), what, has_bytes))) \
			end_slowly(fast.thread, fast.site, fast.began_at, fast.generation, now,    \
				   ARCH_CALLER_SP(), FN_##name << 1 | (has_bytes), what.outcome,   \
				   what.bytes);                                                    \
		after;                                                                             \
		return r;                                                                          \
	}

/* Sections of their own tell samples of a recorded call from those of one that passes through, and
 * both from our own work. */
#define RECORDED __attribute__((noinline, section("scprof_recorded")))
#define PASSED	 __attribute__((noinline, section("scprof_passed")))

/* What is exported has no frame, and jumps on: to what records a call, which has the caller's
 * return address and stack pointer as if it had been called; or to the original, while recording is
 * stopped. */
#define WRAPPER(ret, name, always, if_socket, fd1, fd2, params, args, before, result, has_bytes,   \
		after)                                                                             \
	static RECORDED ret record_##name params                                                   \
	{                                                                                          \
		ret(*real) params = function_real[FN_##name];                                      \
		struct call_fast fast;                                                             \
		FAST_PATH(false, ret, name, args, before, result, has_bytes, after)                \
		FAST_PATH(true, ret, name, args, before, result, has_bytes, after)                 \
		struct scp_call call;                                                              \
		bool recorded = call_begin(&call, FN_##name, ARCH_RETURN_ADDRESS(),                \
					   ARCH_CALLER_SP(), ARCH_CALLER_FP());                    \
		before;                                                                            \
		ret r = real args;                                                                 \
		if (recorded)                                                                      \
			call_end(&call, result, has_bytes);                                        \
		after;                                                                             \
		return r;                                                                          \
	}                                                                                          \
	static PASSED ret pass_##name params                                                       \
	{                                                                                          \
		struct look look;                                                                  \
		bool looked = look_pass(&look, FN_##name);                                         \
		ret(*real) params = function_real[FN_##name];                                      \
		if (unlikely(!real))                                                               \
			real = function_resolve(FN_##name);                                        \
		before;                                                                            \
		ret r = real args;                                                                 \
		if (unlikely(looked))                                                              \
			look_end(&look);                                                           \
		after;                                                                             \
		return r;                                                                          \
	}                                                                                          \
	static COLD ret ask_##name params                                                          \
	{                                                                                          \
		return is_recorded_otherwise(always, if_socket, fd1, fd2) ? record_##name args     \
									  : pass_##name args;      \
	}                                                                                          \
	static PASSED ret otherwise_##name params                                                  \
	{                                                                                          \
		if (likely(is_passed(if_socket, fd1, fd2)))                                        \
			return pass_##name args;                                                   \
		ret(*real) params = function_real[FN_##name];                                      \
		if (process_groups != GROUPS_PAUSED || unlikely(control_changed()) ||              \
		    unlikely(!real))                                                               \
			return ask_##name args;                                                    \
		ret r = real args;                                                                 \
		after;                                                                             \
		return r;                                                                          \
	}                                                                                          \
	ret scp_##name params                                                                      \
	{                                                                                          \
		return likely(is_recorded(always, if_socket, fd1)) ? record_##name args            \
								   : otherwise_##name args;        \
	}

#define SCP_WRAP(ret, name, shown, always, if_socket, fd1, fd2, params, args, before, result,      \
		 has_bytes, after)                                                                 \
	EXPORT ret scp_##name params __asm__(#name);                                               \
	WRAPPER(ret, name, always, if_socket, fd1, fd2, params, args, before, result, has_bytes,   \
		after)

#define SCP_SYSCALL(name, always, result, has_bytes)                                               \
	HIDDEN long scp_syscall_##name(long n, long a, long b, long c, long d, long e,             \
				       long f) __asm__("entry_" #name);                            \
	WRAPPER(long, syscall_##name, always, 0, -1, -1,                                           \
		(long n, long a, long b, long c, long d, long e, long f), (n, a, b, c, d, e, f),   \
		NOTHING, result, has_bytes, NOTHING)

#include "preload/function/wrappers.def"
