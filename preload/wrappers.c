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

#include "call.h"
#include "fd_kind.h"
#include "function.h"
#include "process.h"

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
	default:
		return SCP_ERROR;
	}
}

static inline struct call_result result_call(long r)
{
	return (struct call_result){likely(r >= 0) ? SCP_COMPLETED : failure_class(errno), 0};
}

static inline struct call_result result_bytes(long r)
{
	if (likely(r >= 0))
		return (struct call_result){SCP_COMPLETED, (uint64_t)r};
	return (struct call_result){failure_class(errno), 0};
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
#define RESULT_CALL result_call(r)
#define RESULT_BYTES result_bytes(r)
#define RESULT_RECEIVED(flags) result_received(r, flags)
#define RESULT_MESSAGES(flags) result_messages(r, msgs, flags)
#define RESULT_CODE result_code(r)
#define RESULT_POINTER result_pointer(r)

/* What a function that libc does not have returns: NULL, or -1. */
#define ABSENT(type) ((type)(__builtin_classify_type((type)0) == 5 ? 0 : -1))

static inline bool is_recorded(uint32_t always, uint32_t if_socket, int fd1, int fd2)
{
	if (unlikely(process_groups == GROUPS_UNSET))
		process_start();
	uint32_t on = process_groups;
	if (on & always)
		return true;
	return (on & if_socket) && (fd_kind_is_socket(fd1) || (fd2 >= 0 && fd_kind_is_socket(fd2)));
}

#define SCP_WRAP(ret, name, shown, always, if_socket, fd1, fd2, params, args, before, result,     \
		 has_bytes, after)                                                                \
	EXPORT ret scp_##name params __asm__(#name);                                              \
	ret scp_##name params                                                                     \
	{                                                                                         \
		struct scp_call call;                                                             \
		ret(*real) params = function_real[FN_##name];                                     \
		if (unlikely(!real) && !(real = function_resolve(FN_##name))) {                   \
			errno = ENOSYS;                                                           \
			return ABSENT(ret);                                                       \
		}                                                                                 \
		bool recorded =                                                                   \
			is_recorded(always, if_socket, fd1, fd2) &&                               \
			call_begin(&call, FN_##name, ARCH_RETURN_ADDRESS(), ARCH_CALLER_SP(),     \
				   ARCH_CALLER_FP());                                             \
		before;                                                                           \
		ret r = real args;                                                                \
		if (recorded)                                                                     \
			call_end(&call, result, has_bytes);                                       \
		after;                                                                            \
		return r;                                                                         \
	}
#include "wrappers.def"
