// SPDX-License-Identifier: GPL-3.0-or-later
// Usage: chosen_always SECONDS: calls functions that a test selects while it runs, and ends with
// status 1 as soon as one has another result: of the allocator, with arguments on the stack, of the
// C++ library, and one that exceptions leave.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

static void *volatile kept;

static bool allocates(unsigned i)
{
	size_t bytes = 100 + i % 50;
	auto *p = static_cast<unsigned char *>(malloc(bytes));
	kept = p;
	if (!p)
		return false;
	memset(p, static_cast<int>(i % 251), bytes);
	bool same = p[0] == i % 251 && p[bytes - 1] == i % 251;
	free(kept);
	return same;
}

static bool prints(unsigned i)
{
	char text[128];
	snprintf(text, sizeof text, "%u %d %d %d %d %d %d %d %.1f", i, 2, 3, 4, 5, 6, 7, 8, 9.5);
	return atoi(text) == static_cast<int>(i) && strstr(text, " 2 3 4 5 6 7 8 9.5");
}

static bool appends()
{
	std::string s = "a";
	for (int k = 0; k < 4; k++)
		s.append("longer than a string holds in itself", 9 + k);
	return s.size() == 1 + 9 + 10 + 11 + 12;
}

static int refuses(const void *, const void *)
{
	throw 7;
}

static bool throws()
{
	int numbers[] = {3, 1, 2};
	try {
		qsort(numbers, 3, sizeof *numbers, refuses);
	} catch (int thrown) {
		return thrown == 7;
	}
	return false;
}

int main(int argc, char **argv)
{
	time_t until = time(nullptr) + (argc > 1 ? atoi(argv[1]) : 1);
	puts("begun");
	fflush(stdout);
	for (unsigned i = 0; time(nullptr) < until; i = (i + 1) % 1000000)
		if (!allocates(i) || !prints(i) || !appends() || !throws())
			return 1;
	return 0;
}
