// SPDX-License-Identifier: GPL-3.0-or-later
/* Where code has no unwind tables, frame pointers lead on, if all that they lead to passes for a
 * frame; what does not ends the path; and libunwind is not asked to guess. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/system/stack.h"
#include "preload/unwind/unwind.h"

#define FRAMES 64

#ifdef __x86_64__

/* Assembly without .cfi directives has no table. Each calls what it is given; `lost` uses the frame
 * pointer for something else meanwhile: the value that is its second argument. */
__asm__(".text\n"
	".type keeps, @function\n"
	"keeps:\n"
	"	pushq %rbp\n"
	"	movq %rsp, %rbp\n"
	"	call *%rdi\n"
	"keeps_return:\n"
	"	popq %rbp\n"
	"	ret\n"
	"keeps_end:\n"
	".type lost, @function\n"
	"lost:\n"
	"	pushq %rbp\n"
	"	movq %rsi, %rbp\n"
	"	call *%rdi\n"
	"	popq %rbp\n"
	"	ret\n");
void keeps(void (*f)(void));
void lost(void (*f)(void), uint64_t fp);
extern const uint8_t keeps_return[], keeps_end[];

static struct {
	uint64_t pc[FRAMES];
	bool heuristic[FRAMES];
	unsigned count, noted;
	enum unwind_result ended;
} found;

static bool note(void *context, uint64_t address, uint64_t value)
{
	(void)context;
	assert_int_equal(*(uint64_t *)address, value);
	found.noted++;
	return true;
}

static bool forgetful = true;	  /* each walk begins as the first of a process */
static const uint8_t *unreadable; /* no page of its own: what begins here is refused */

static bool readable(void *context, uint64_t address)
{
	(void)context;
	return address > 4096 && (!unreadable || address != (uint64_t)unreadable);
}

__attribute__((noinline)) static void walk(void)
{
	static struct unwind_work work;
	struct unwind_cursor c;
	unwind_register_begin(&c, ARCH_RETURN_ADDRESS(), ARCH_CALLER_SP(), ARCH_CALLER_FP());
	c.work = &work;
	c.note = note;
	c.readable = readable;
	found.count = found.noted = 0;
	if (forgetful)
		unwind_chain_forget();
	do {
		found.pc[found.count] = c.pc;
		found.heuristic[found.count++] = c.heuristic;
	} while (found.count < FRAMES && (found.ended = unwind_chain_step(&c)) == UNWIND_STEPPED);
}

static volatile int sink;

__attribute__((noinline)) static void inner(void)
{
	walk();
	sink++;
}

/* Frames without tables are followed by those of this function and of its callers. */
__attribute__((noinline)) static unsigned walk_below(void (*code)(void (*)(void)))
{
	code(inner);
	sink++;
	return found.count;
}

__attribute__((noinline)) static unsigned walk_plain(void)
{
	inner();
	sink++;
	return found.count;
}

static void test_frame_pointers_lead_on_to_the_tables(void **state)
{
	unsigned plain = walk_plain();
	(void)state;
	assert_int_equal(found.ended, UNWIND_END);
	assert_int_equal(walk_below(keeps), plain + 1);
	assert_int_equal(found.ended, UNWIND_END);
	assert_int_equal(found.pc[1], keeps_return);
	for (unsigned i = 0; i < found.count; i++) /* the caller of `keeps` alone */
		assert_int_equal(found.heuristic[i], i == 2);
}

/* A runtime's code lies in no object. */
static void (*generate(void))(void (*)(void))
{
	size_t bytes = (size_t)(keeps_end - (const uint8_t *)keeps);
	uint8_t *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	memcpy(code + 64, (const void *)keeps, bytes);
	return (void (*)(void (*)(void)))(uintptr_t)(code + 64);
}

static void (*generated)(void (*)(void));

static void call_generated(void)
{
	generated(inner);
	sink++;
}

static void test_generated_code_is_followed(void **state)
{
	unsigned plain = walk_plain();
	(void)state;
	generated = generate();
	assert_int_equal(walk_below(generated), plain + 1);
	assert_int_equal(found.ended, UNWIND_END);
	assert_true(found.heuristic[2]);
	/* generated code, code with tables, generated code */
	generated(call_generated);
	assert_int_equal(found.ended, UNWIND_END);
	assert_true(found.heuristic[2]);
	assert_false(found.heuristic[1] || found.heuristic[3]);
	assert_true(found.heuristic[4]);
}

/* How many frames fewer there are below code that lies right behind the thread's stack. */
static void *walk_beside_code(void *bounds_are_known)
{
	static unsigned plain;
	plain = walk_plain();
	if (bounds_are_known)
		assert_true(stack_find(ARCH_CALLER_SP()));
	return (void *)(uintptr_t)(plain + 1 - walk_below(generated));
}

static void test_code_may_begin_where_the_stack_ends(void **state)
{
	const size_t stack = 1 << 20, code = 8192;
	uint8_t *both = mmap(NULL, stack + code, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t a;
	pthread_t thread;
	void *fewer;

	(void)state;
	assert_ptr_not_equal(both, MAP_FAILED);
	memcpy(both + stack + 64, (const void *)keeps,
	       (size_t)(keeps_end - (const uint8_t *)keeps));
	generated = (void (*)(void (*)(void)))(uintptr_t)(both + stack + 64);
	for (uintptr_t known = 0; known <= 1; known++) {
		assert_int_equal(pthread_attr_init(&a), 0);
		assert_int_equal(pthread_attr_setstack(&a, both, stack), 0);
		assert_int_equal(pthread_create(&thread, &a, walk_beside_code, (void *)known), 0);
		assert_int_equal(pthread_join(thread, &fewer), 0);
		assert_true(known ? !fewer : fewer != NULL);
		assert_int_equal(found.ended, known ? UNWIND_END : UNWIND_CUT);
	}
	munmap(both, stack + code);
}

static void assert_not_followed(uint64_t ra);

/* The kernel puts the name of the program that is executed above all else of the main thread's
 * stack. Here it is far from where the stack is known to end, and is like a call. */
static void test_what_lies_above_the_arguments_is_stack(void **state)
{
	static const uint8_t call[] = {0xe8, 1, 2, 3, 4};
	uint8_t kept[sizeof call], *name = (uint8_t *)getauxval(AT_EXECFN);
	(void)state;
	assert_true(stack_find(ARCH_CALLER_SP()));
	assert_true((uintptr_t)name >= stack_bounds.end);
	memcpy(kept, name, sizeof call);
	memcpy(name, call, sizeof call);
	assert_not_followed((uint64_t)(name + sizeof call));
	memcpy(name, kept, sizeof call);
}

/* The second word of a record that a lost frame pointer leads to. */
static void assert_not_followed(uint64_t ra)
{
	uint64_t record[4] = {0, ra, 0, 0};
	lost(inner, (uint64_t)record);
	assert_int_equal(found.ended, UNWIND_CUT);
	assert_int_equal(found.count, 2);
	assert_int_equal(record[1], ra);
}

static void test_what_is_no_return_address_ends_the_path(void **state)
{
	static const char text[] = "no code";
	(void)state;
	assert_not_followed(0);
	assert_not_followed((uint64_t)text);
	assert_not_followed((uint64_t)keeps);		   /* code, but no call before it */
	assert_not_followed((uint64_t)(keeps_return + 1)); /* likewise */
	assert_not_followed((uint64_t)&text);
	assert_not_followed((uint64_t)__builtin_frame_address(0));
}

static void test_what_is_no_frame_pointer_ends_the_path(void **state)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	uint64_t wrong[] = {0, 1, here - 4096 /* below */, here + 1 /* not aligned */,
			    here + (2u << 20) /* too far */};
	(void)state;
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		lost(inner, wrong[i]);
		assert_int_equal(found.ended, UNWIND_CUT);
		assert_int_equal(found.count, 2);
	}
}

static void test_a_record_that_may_not_be_read_ends_the_path(void **state)
{
	uint64_t record[2] = {0, (uint64_t)keeps_return};
	(void)state;
	lost(inner, (uint64_t)record);
	assert_true(found.count > 2); /* it passes for a frame */
	unreadable = (const uint8_t *)&record[1];
	lost(inner, (uint64_t)record);
	unreadable = NULL;
	assert_int_equal(found.ended, UNWIND_CUT);
	assert_int_equal(found.count, 2);
}

/* Both words of a record decide: a memo compares them. */
static void test_each_word_that_decides_is_noted(void **state)
{
	(void)state;
	walk_plain();
	unsigned plain = found.noted;
	walk_below(keeps);
	assert_int_equal(found.noted, plain + 2);
}

/* Else each value of a register that the code uses for something else would be a path of its own.
 */
static void test_a_frame_pointer_that_was_none_is_not_read_again(void **state)
{
	uint64_t record[2] = {0, (uint64_t)keeps_return};
	(void)state;
	lost(inner, (uint64_t)record);
	unsigned followed = found.count, words = found.noted;
	lost(inner, 1);
	forgetful = false;
	lost(inner, (uint64_t)record);
	forgetful = true;
	assert_int_equal(found.count, 2);
	assert_int_equal(found.ended, UNWIND_CUT);
	assert_true(found.noted < words && followed > 2);
}

/* The address was reached by tables, but it is not code: a coroutine's start, say. */
static void test_an_address_that_is_no_code_is_not_left_by_a_frame_pointer(void **state)
{
	static struct unwind_work work;
	uint64_t record[2] = {0, (uint64_t)keeps_return};
	struct unwind_cursor c;
	(void)state;
	unwind_register_begin(&c, (uint64_t)&work, (uint64_t)record, (uint64_t)record);
	c.work = &work;
	c.note = note;
	c.readable = readable;
	assert_int_equal(unwind_chain_step(&c), UNWIND_CUT);
	unwind_register_begin(&c, (uint64_t)keeps_return, (uint64_t)record, (uint64_t)record);
	assert_int_equal(unwind_chain_step(&c), UNWIND_STEPPED);
	/* what a signal interrupted may not have its own frame pointer yet */
	unwind_register_begin(&c, (uint64_t)keeps_return, (uint64_t)record, (uint64_t)record);
	c.exact = true;
	assert_int_equal(unwind_chain_step(&c), UNWIND_CUT);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!getenv("PADDING")) { /* the name of the program lies above it */
		char padding[2 * 4096] = "";
		memset(padding, 'x', sizeof padding - 1);
		setenv("PADDING", padding, 1);
		execv("/proc/self/exe", argv);
		return 1;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_pointers_lead_on_to_the_tables),
		cmocka_unit_test(test_generated_code_is_followed),
		cmocka_unit_test(test_code_may_begin_where_the_stack_ends),
		cmocka_unit_test(test_what_lies_above_the_arguments_is_stack),
		cmocka_unit_test(test_what_is_no_return_address_ends_the_path),
		cmocka_unit_test(test_what_is_no_frame_pointer_ends_the_path),
		cmocka_unit_test(test_a_record_that_may_not_be_read_ends_the_path),
		cmocka_unit_test(test_each_word_that_decides_is_noted),
		cmocka_unit_test(test_a_frame_pointer_that_was_none_is_not_read_again),
		cmocka_unit_test(test_an_address_that_is_no_code_is_not_left_by_a_frame_pointer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
	return 0;
}
#endif
