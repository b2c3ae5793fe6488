// SPDX-License-Identifier: GPL-3.0-or-later
/* Regions in C++: guards ended by return, by exceptions, by hand; templates and inline functions.
 * Prints what it computes. */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "scprof.h"

template <typename T> T twice(T v)
{
	SCPROF_SCOPE("twice");
	return v + v;
}

inline int middle(int i)
{
	SCPROF_SCOPE("middle");
	SCPROF_POINT("throwing");
	if (i % 3 == 0)
		throw std::runtime_error("third");
	return twice(i);
}

static int outer(int i)
{
	SCPROF_SCOPE("outer");
	try {
		return middle(i);
	} catch (const std::exception &) {
		SCPROF_SCOPE("caught");
		return -1;
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? std::atoi(argv[1]) : 30;
	long sum = 0;

	for (int i = 0; i < n; i++) {
		std::string name = "number " + std::to_string(i % 3);
		SCPROF_SCOPE_NAMED(name.c_str());
		scprof::scope guard("by hand");
		SCPROF_BEGIN("plain");
		sum += outer(i);
		SCPROF_END;
	}
	std::string text = twice(std::string("ab"));
	std::printf("%ld %s\n", sum, text.c_str());
	return 0;
}
