// SPDX-License-Identifier: GPL-3.0-or-later
/* Loaded objects by the kernel's list of mappings: what libc knows without a doubt, in threads, and
 * after an object has gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/process/process.h"
#include "preload/unwind/unwind.h"

static int begin(void **state)
{
	(void)state;
	process_epoch.now.generation++; /* it never comes again */
	return 0;
}

static int compare(struct dl_phdr_info *info, size_t size, void *known)
{
	uint64_t code = 0, start = UINT64_MAX, end = 0, tables = 0;
	struct unwind_object o;
	(void)size;

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_EH_FRAME)
			tables = at;
		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_flags & PF_X)
			code = at;
		start = at < start ? at : start;
		end = at + p->p_memsz > end ? at + p->p_memsz : end;
	}
	assert_true(object_index_find(code + 16, &o));
	assert_int_equal(o.base, info->dlpi_addr);
	assert_int_equal(o.start, start & ~UINT64_C(4095));
	assert_int_equal(o.end, end);
	assert_int_equal(o.eh_frame_hdr, tables);
	assert_true(object_index_find(code + 16, &o)); /* from the list */
	assert_int_equal(o.end, end);
	++*(unsigned *)known;
	return 0;
}

static void test_every_object_is_as_the_loader_has_it(void **state)
{
	unsigned known = 0;

	(void)state;
	dl_iterate_phdr(compare, &known);
	assert_true(known >= 3); /* the program, libc, its loader */
}

static void test_data_of_an_object_is_its(void **state)
{
	static int word = 1;
	struct unwind_object code, data;

	(void)state;
	assert_true(object_index_find((uint64_t)(uintptr_t)&begin, &code));
	assert_true(object_index_find((uint64_t)(uintptr_t)&word, &data));
	assert_int_equal(code.base, data.base);
}

static void test_generated_code_is_of_no_object(void **state)
{
	void *page = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct unwind_object o;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_false(object_index_find((uint64_t)(uintptr_t)page + 4096, &o));
	assert_false(object_index_find(1, &o));
	munmap(page, 8192);
}

/* A library that lies beside this program. */
static void *open_library(uint64_t *code)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);

	assert_true(n > 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/') + 1, "walked_a.so");
	void *handle = dlopen(path, RTLD_NOW);
	assert_non_null(handle);
	const uint64_t *function = dlsym(handle, "walked_kind");
	assert_non_null(function);
	*code = *function;
	return handle;
}

static void test_an_object_that_has_gone_is_not_found(void **state)
{
	struct unwind_object o;
	uint64_t code;
	void *handle = open_library(&code);

	(void)state;
	assert_true(object_index_find(code, &o));
	assert_non_null(strstr(o.name, "walked_a.so"));
	dlclose(handle);
	process_epoch.now.generation++;
	assert_false(object_index_find(code, &o));
	/* and is there again, where it comes again: nothing tells of that */
	handle = open_library(&code);
	assert_true(object_index_find(code, &o));
	assert_true(code >= o.start && code < o.end);
	dlclose(handle);
}

/* A program may map the file of a library as data, right before the library. */
static void test_the_same_file_mapped_before_is_not_the_object(void **state)
{
	const size_t room = 64 << 20;
	struct unwind_object o, again;
	uint64_t code;

	(void)state;
	/* The library comes to lie at the upper end of a hole. */
	munmap(mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), room);
	void *handle = open_library(&code);
	assert_true(object_index_find(code, &o));
	int fd = open(o.name, O_RDONLY);
	void *data = mmap((char *)(uintptr_t)o.start - 4096, 4096, PROT_READ,
			  MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	close(fd);
	assert_ptr_not_equal(data, MAP_FAILED);
	process_epoch.now.generation++;
	assert_true(object_index_find(code, &again));
	assert_int_equal(again.start, o.start);
	assert_int_equal(again.base, o.base);
	munmap(data, 4096);
	dlclose(handle);
}

static void *ask(void *failed)
{
	uint64_t code = (uint64_t)(uintptr_t)&expm1;
	struct unwind_object o;

	/* One thread reads the mappings, and the others do not wait for it. */
	for (int i = 0; i < 20000; i++)
		if (object_index_find(code, &o) && !(code >= o.start && code < o.end))
			__atomic_store_n((bool *)failed, true, __ATOMIC_RELAXED);
	return object_index_find(code, &o) ? failed : NULL;
}

static void test_threads_ask_while_one_looks(void **state)
{
	pthread_t thread[4];
	bool failed = false;
	void *found;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, ask, &failed), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], &found);
		assert_non_null(found);
	}
	assert_false(failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_every_object_is_as_the_loader_has_it, begin),
		cmocka_unit_test_setup(test_data_of_an_object_is_its, begin),
		cmocka_unit_test_setup(test_generated_code_is_of_no_object, begin),
		cmocka_unit_test_setup(test_an_object_that_has_gone_is_not_found, begin),
		cmocka_unit_test_setup(test_the_same_file_mapped_before_is_not_the_object, begin),
		cmocka_unit_test_setup(test_threads_ask_while_one_looks, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
