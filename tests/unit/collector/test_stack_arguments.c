// SPDX-License-Identifier: GPL-3.0-or-later
/* How many words of arguments functions take on the stack: by this program's own debug information,
 * and by names. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/select/stack_arguments.h"

struct two {
	long a, b;
};
struct three {
	long a, b, c;
};
struct aligned {
	long v[8];
} __attribute__((aligned(64)));

#define FUNCTION __attribute__((noinline, used)) static
FUNCTION int none(void)
{
	return 1;
}
FUNCTION long six(long a, int b, char *c, unsigned char d, _Bool e, long f)
{
	return a + b + *c + d + e + f;
}
FUNCTION long eight(long a, long b, long c, long d, long e, long f, char g, long h)
{
	return a + b + c + d + e + f + g + h;
}
FUNCTION double nine_doubles(double a, double b, double c, double d, double e, double f, double g,
			     double h, float i)
{
	return a + b + c + d + e + f + g + h + i;
}
FUNCTION long structure(struct three s)
{
	return s.a + s.b + s.c;
}
FUNCTION long aligned_after(struct three s, long b, struct aligned t)
{
	return s.a + b + t.v[1];
}
FUNCTION struct three hidden_result(long a, long b, long c, long d, long e, long f)
{
	return (struct three){a + b, c + d, e + f};
}
FUNCTION long double extended(long double x)
{
	return x + 1;
}
FUNCTION long small_structure(struct two s)
{
	return s.a + s.b;
}
FUNCTION int variadic(int n, ...)
{
	return n;
}

struct search {
	const char *name;
	bool found, known;
	uint32_t words;
};

static int look(Dwarf_Die *function, void *argument)
{
	struct search *s = argument;
	const char *name = dwarf_diename(function);

	if (!name || strcmp(name, s->name) != 0)
		return DWARF_CB_OK;
	s->found = true;
	s->known = stack_types_words(function, &s->words);
	return DWARF_CB_ABORT;
}

static struct search look_up(const char *name)
{
	struct search s = {.name = name};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	assert_non_null(dwarf);
	while (!s.found && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		dwarf_getfuncs(&die, look, &s, 0);
	dwarf_end(dwarf);
	close(fd);
	assert_true(s.found);
	return s;
}

static void check_words(const char *name, uint32_t least, uint32_t most)
{
	struct search s = look_up(name);

	assert_true(s.known);
	assert_in_range(s.words, least, most);
}

static void types(void **state)
{
	(void)state;
	check_words("none", 0, 0);
	check_words("six", 0, 0);
	check_words("eight", 2, 2);
	check_words("nine_doubles", 1, 1);
	check_words("structure", 3, 3);
	check_words("aligned_after", 16, 16); /* at 0 and at 64 */
	check_words("hidden_result", 1, 1);
	check_words("extended", 2, 2);
	check_words("small_structure", 0, 2); /* in registers, or in memory */
	assert_false(look_up("variadic").known);
}

static void names(void **state)
{
	static const struct {
		const char *name;
		bool none;
	} cases[] = {
		{"malloc", true},
		{"mallo", false},
		{"lloc", false},
		{"printf", false},
		{"_Z1fv", true},
		{"_Z1fiPKc", true},	  /* f(int, char const*) */
		{"_ZN1C1fERKSsd", true},  /* C::f(std::string const&, double) */
		{"_Z1fdddddddd", true},	  /* eight */
		{"_Z1fddddddddd", false}, /* nine */
		{"_Z1fiiii", true},	  /* and two that may be hidden */
		{"_Z1fiiiii", false},
		{"_Z1fiz", false},	     /* f(int, ...) */
		{"_Z1f1C", false},	     /* by value */
		{"_Z1fe", false},	     /* long double */
		{"_Z1fn", false},	     /* __int128 */
		{"_Z1fM1CFvvE", false},	     /* pointer to member function */
		{"_Z1fPFvvE", true},	     /* f(void (*)()) */
		{"_ZNK1C1fEv", true},	     /* C::f() const */
		{"_Z1fIiEPFvT_Ei", false},   /* result: pointer to function */
		{"_Z1fRSt4pairIidE", true},  /* f(std::pair<int, double>&) */
		{"_Z1fSt4pairIiPiE", false}, /* a pair by value */
		{"_Zgarbage", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *shown = selection_demangle(cases[i].name, true);

		assert_non_null(shown);
		if (stack_arguments_has_none(cases[i].name, shown) != cases[i].none)
			fail_msg("%s", cases[i].name);
		free(shown);
	}
	assert_true(stack_arguments_has_none_in("deflate", "libz.so.1"));
	assert_false(stack_arguments_has_none_in("deflate", "libother.so.1"));
	assert_false(stack_arguments_has_none_in("deflateInit2_", "libz.so.1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(types), cmocka_unit_test(names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
