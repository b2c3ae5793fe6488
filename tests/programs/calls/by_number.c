// SPDX-License-Identifier: GPL-3.0-or-later
/* Waits in futex(2), and moves messages by sendmmsg(2) and recvmmsg(2), all by their numbers: as
 * Rust's standard library, libstdc++'s atomics and libuv do. What only wakes is no wait. */
#include <linux/futex.h>
#include <stdint.h>
#include <sys/uio.h>
#include <time.h>

#include "tests/programs/target.h"

#define ROUNDS	 20
#define MESSAGES 3

static uint32_t word = 7;

static const char *what(long r)
{
	return r >= 0 ? "done" : errno == EAGAIN ? "again" : errno == ETIMEDOUT ? "late" : "error";
}

/* All six arguments arrive: of WAIT_BITSET a time that is over, and a set of bits that may not be
 * empty. */
static NOINLINE void wait_each_way(void)
{
	struct timespec soon = {0, 1000}, past = {1, 0};

	say("%s ", what(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 8, NULL, NULL, 0)));
	say("%s ", what(syscall(SYS_futex, &word, FUTEX_WAIT, 7, &soon, NULL, 0)));
	say("%s ", what(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 7, &past,
				NULL, FUTEX_BITSET_MATCH_ANY)));
	say("%s ", what(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 7, &past, NULL, 0)));
	for (int i = 0; i < 5; i++)
		say("%ld ", syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	say("%ld\n", syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 1L, &word, 7));
}

static void fill(struct mmsghdr *m, struct iovec *v, char text[][16], size_t bytes)
{
	for (int i = 0; i < MESSAGES; i++) {
		v[i] = (struct iovec){text[i], bytes ? bytes + (size_t)i : 16};
		m[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &v[i], .msg_iovlen = 1}};
	}
}

static NOINLINE void pass_messages(const int *ends)
{
	char sent[MESSAGES][16] = {"first", "second", "third"}, received[MESSAGES][16] = {""};
	struct iovec v[MESSAGES];
	struct mmsghdr m[MESSAGES];

	fill(m, v, sent, 8);
	say("%ld ", syscall(SYS_sendmmsg, ends[0], m, MESSAGES, 0));
	fill(m, v, received, 0);
	say("%ld ", syscall(SYS_recvmmsg, ends[1], m, MESSAGES, MSG_DONTWAIT, NULL));
	say("%s %s %s %u ", received[0], received[1], received[2], m[2].msg_len);
	say("%s\n", what(syscall(SYS_recvmmsg, ends[1], m, MESSAGES, MSG_DONTWAIT, NULL)));
}

int main(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
		die("socketpair");
	for (int i = 0; i < ROUNDS; i++) {
		wait_each_way();
		pass_messages(ends);
	}
	expect_calls("futex", 4 * ROUNDS);
	expect_calls("sendmmsg", ROUNDS);
	expect_calls("recvmmsg", 2 * ROUNDS);
	return 0;
}
