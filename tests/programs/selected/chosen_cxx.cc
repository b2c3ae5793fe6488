// SPDX-License-Identifier: GPL-3.0-or-later
/* Exceptions through chosen functions: caught by the caller, from two calls deep, out of a
 * callback, and rethrown. Destructors on the way must run. */
#include "chosen_cxx.h"

#include <stdexcept>
#include <string>

#include "target.h"

static int destroyed;

struct Guard {
	~Guard()
	{
		destroyed++;
	}
};

static int thrower(int x)
{
	Guard guard;

	if (x > 2)
		throw std::runtime_error("callback " + std::to_string(x));
	return x;
}

static int relay(chosen::Counter &c, int by)
{
	Guard guard;

	try {
		return c.add(by);
	} catch (int value) {
		if (value == -2)
			throw;
		return -value;
	}
}

int main()
{
	chosen::Counter c(5);
	int caught = 0;

	for (int i = 0; i < 10; i++) {
		say("%d\n", c.add(i));
		say("%d\n", relay(c, -1));
		try {
			say("%d\n", relay(c, -2));
		} catch (int value) {
			caught += value;
		}
		try {
			say("%d\n", c.add(i % 2 ? "-7" : "7", 10));
		} catch (int value) {
			say("caught %d\n", value);
		}
		try {
			say("%d\n", c.visit(thrower, i));
		} catch (const std::exception &e) {
			say("caught %s\n", e.what());
		}
	}
	say("%d %d\n", caught, destroyed);
	return 0;
}
