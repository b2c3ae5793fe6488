// SPDX-License-Identifier: GPL-3.0-or-later
/* Methods to choose by their demangled names, and exceptions that pass through them. */
#include "chosen_cxx.h"

#include <cstdlib>

namespace chosen
{

Counter::Counter(int start) : value(start)
{
}

Counter::~Counter()
{
	value = -1;
}

__attribute__((noinline)) int Counter::add(int by)
{
	if (by < 0)
		throw by;
	return value += by;
}

__attribute__((noinline)) int Counter::add(const char *digits, int base)
{
	return add(static_cast<int>(strtol(digits, nullptr, base))) + 1;
}

__attribute__((noinline)) int Counter::visit(int (*f)(int), int x)
{
	return f(x) + 1;
}

} // namespace chosen
