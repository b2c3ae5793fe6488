// SPDX-License-Identifier: GPL-3.0-or-later
/* The dynamic symbols of a loaded object: what dlsym finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "preload/process/libc.h"
#include "preload/process/symbols.h"

struct wanted {
	const char *name, *version; /* NULL: the default one */
	void *found;
	bool several;
};

static int look(struct dl_phdr_info *info, size_t size, void *context)
{
	struct symbols symbols = {.base = info->dlpi_addr};
	struct wanted *w = context;
	const Elf64_Sym *s;

	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so.6"))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			for (const ElfW(Dyn) *d =
				     (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
			     d->d_tag != DT_NULL; d++)
				symbols_take(&symbols, d);
	s = symbols_find(&symbols, w->name, symbols_hash(w->name), w->version, &w->several);
	w->found = s ? (void *)(symbols.base + s->st_value) : NULL;
	return 1;
}

#ifdef __x86_64__
static void test_each_version_is_found(void **state)
{
	static const struct wanted wanted[] = {
		{.name = "realpath", .version = "GLIBC_2.2.5"},
		{.name = "realpath", .version = "GLIBC_2.3"},
		{.name = "posix_spawn", .version = "GLIBC_2.2.5"},
		{.name = "posix_spawn", .version = "GLIBC_2.15"},
		{.name = "regexec", .version = "GLIBC_2.2.5"},
		{.name = "nanosleep", .version = "GLIBC_2.3.4"}, /* which it never had */
	};
	unsigned found = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct wanted w = wanted[i];

		assert_int_equal(dl_iterate_phdr(look, &w), 1);
		assert_ptr_equal(w.found, dlvsym(RTLD_DEFAULT, w.name, w.version));
		found += w.found != NULL;
	}
	assert_int_equal(found, 5);
}
#endif

/* With these libc still has what older programs are linked to. */
static void test_of_several_versions_the_default_one_is_found(void **state)
{
	static const char *const names[] = {"realpath", "posix_spawn",	     "regexec",
					    "fmemopen", "sched_getaffinity", "pthread_cond_wait",
					    "nanosleep"};
	unsigned several = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct wanted w = {.name = names[i]};

		assert_int_equal(dl_iterate_phdr(look, &w), 1);
		assert_ptr_equal(w.found, dlsym(RTLD_DEFAULT, names[i]));
		several += w.several;
	}
#ifdef __x86_64__
	assert_true(several >= 4);
#endif
}

static void test_a_resolver_has_the_arguments_of_sys_ifunc(void **state)
{
	const uint64_t hwcap = getauxval(AT_HWCAP);
	const uint64_t expected[] = {hwcap | UINT64_C(1) << 62, 24, hwcap, getauxval(AT_HWCAP2)};
	void *library = dlopen(RESOLVER, RTLD_NOW);

	(void)state;
	assert_non_null(library);
	libc_opened_later = true; /* whatever comes before it */
	assert_non_null(libc_find_next("resolved", NULL));
	assert_memory_equal(dlsym(library, "resolver_told"), expected, sizeof(expected));
	dlclose(library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(test_each_version_is_found),
#endif
		cmocka_unit_test(test_of_several_versions_the_default_one_is_found),
		cmocka_unit_test(test_a_resolver_has_the_arguments_of_sys_ifunc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
