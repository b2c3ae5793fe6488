// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls below a method, and beside it: for --below with demangled names. Usage: filters_cxx TIMES
 */
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace shop
{
static int pair[2];

static __attribute__((noinline)) void exchange(long times)
{
	char c = 'x';
	for (long i = 0; i < times; i++)
		if (send(pair[0], &c, 1, 0) != 1 || recv(pair[1], &c, 1, 0) != 1)
			_exit(99);
	asm volatile("" ::: "memory");
}

class cart
{
      public:
	__attribute__((noinline)) void checkout(long times)
	{
		exchange(times);
		asm volatile("" ::: "memory");
	}
	__attribute__((noinline)) void checkout(const char *)
	{
		exchange(1);
		asm volatile("" ::: "memory");
	}
};

static __attribute__((noinline)) void browse(long times)
{
	exchange(times);
	asm volatile("" ::: "memory");
}
} // namespace shop

int main(int argc, char **argv)
{
	long times = argc > 1 ? std::atol(argv[1]) : 10;
	shop::cart cart;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, shop::pair) < 0)
		return 99;
	cart.checkout(times);
	cart.checkout("all");
	shop::browse(10 * times);
}
