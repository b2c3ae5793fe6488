// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: C++ exceptions pass frames that make wrapped calls, destructors may
 * make such calls while the stack unwinds, and cancelling a thread that is
 * blocked in recv runs its destructors. */
#include "target.h"

#include <pthread.h>
#include <stdexcept>
#include <string>

static int pair[2];
static long unwound, exchanges;

struct exchange_at_end {
	~exchange_at_end()
	{
		exchange(pair);
		exchanges++;
		unwound++;
	}
};

NOINLINE static void descend(int depth)
{
	exchange_at_end guard;
	exchange(pair);
	exchanges++;
	if (depth == 0)
		throw std::runtime_error("bottom");
	descend(depth - 1);
}

static void throw_often(void)
{
	long caught = 0;

	for (int i = 0; i < 2000; i++) {
		try {
			descend(i % 7);
		} catch (const std::exception &e) {
			caught += std::string(e.what()) == "bottom";
		}
	}
	say("caught %ld, destructors %ld\n", caught, unwound);
}

static volatile bool waiting;

static void *block(void *)
{
	exchange_at_end guard;
	int silent[2];
	char c;

	make_pair(silent);
	waiting = true;
	recv(silent[1], &c, 1, 0);
	say("never printed\n");
	return nullptr;
}

static void *leave(void *)
{
	exchange_at_end guard;
	exchange(pair);
	pthread_exit(nullptr);
}

static void end_threads(void)
{
	pthread_t thread;
	void *result;

	for (int i = 0; i < 50; i++) {
		waiting = false;
		pthread_create(&thread, nullptr, block, nullptr);
		while (!waiting || i % 2 == 0) {
			usleep(500);
			if (waiting)
				break;
		}
		pthread_cancel(thread);
		pthread_join(thread, &result);
		if (result != PTHREAD_CANCELED)
			say("not cancelled\n");
		pthread_create(&thread, nullptr, leave, nullptr);
		pthread_join(thread, nullptr);
	}
	say("destructors %ld\n", unwound);
}

int main()
{
	make_pair(pair);
	throw_often();
	end_threads();
	/* 50 cancelled: one exchange each; 50 left: two each, one of them counted here */
	exchanges += 50;
	expect_calls("send", exchanges);
	expect_between("recv", exchanges, exchanges + 50, 0);
	return 0;
}
