// SPDX-License-Identifier: GPL-3.0-or-later
/* What an interpreter of version 3.MINOR exports, as far as the library looks at it. Nothing of it
 * works; its frames are made by test_python_frames.c. */
#include <pthread.h>
#include <stdint.h>

#define TYPE(symbol, name) struct made_type symbol = {{0}, name, {0}}
struct made_type {
	uint64_t before[3];
	const char *name;
	uint64_t after[8];
};
TYPE(PyCode_Type, "code");
TYPE(PyFrame_Type, "frame");
TYPE(PyUnicode_Type, "str");
TYPE(PyBytes_Type, "bytes");

#if MINOR >= 11
const unsigned long Py_Version = 3ul << 24 | MINOR << 16 | 0x1f0;
#endif
#if MINOR >= 8
void PyCode_NewWithPosOnlyArgs(void)
{
}
#endif
#if MINOR >= 9
void PyFrame_GetBack(void)
{
}
#endif
#if MINOR >= 10
void PyGC_Enable(void)
{
}
#endif

/* The words of _Py_DebugOffsets that are read, of 3.13.0, 3.14.10 and 3.15.2: of the thread's state
 * from STATE on, and so forth. */
#if MINOR == 13
#define STATE	  19
#define THREAD_ID 24
#define FRAME	  28
#define CODE	  34
#define OBJECT	  44
#elif MINOR == 14
#define STATE	  22
#define THREAD_ID 27
#define FRAME	  31
#define CODE	  39
#define OBJECT	  50
#elif MINOR >= 15
#define STATE	  22
#define THREAD_ID 30
#define FRAME	  39
#define CODE	  47
#define OBJECT	  58
#endif
uint64_t _PyRuntime[256] = {
#if MINOR >= 13
	[0] = 0x7970677562656478, /* "xdebugpy" */
	[1] = 3ul << 24 | MINOR << 16 | 0xf0,
	[4] = MINOR == 13   ? 608
	      : MINOR == 14 ? 784
			    : 912,
	[STATE + 3] = 16,
	[STATE + 4] = 72,
	[THREAD_ID] = MINOR >= 15 ? 176 : 152,
	[FRAME + 1] = 8,
	[FRAME + 2] = 0,
	[FRAME + 3] = 56,
	[FRAME + 5] = MINOR == 13 ? 70 : 74,
	[CODE + 1] = 112,
	[CODE + 3] = 128,
	[CODE + 4] = 136,
	[CODE + 5] = 68,
	[CODE + 9] = MINOR == 13 ? 200 : 208,
	[OBJECT + 1] = 8,
#endif
};

static pthread_key_t key;
static int has_key;
static __thread void *volatile attached, *volatile variable; /* since 3.15 */

void *PyGILState_GetThisThreadState(void)
{
	if (MINOR >= 15)
		return variable;
	return has_key ? pthread_getspecific(key) : 0;
}

void *PyInterpreterState_Main(void)
{
	return &key;
}

void *PyInterpreterState_Head(void)
{
	return &key;
}

/* As Py_Initialize, Py_Finalize, and a thread that begins to use the interpreter. */
void made_initialize(void)
{
	has_key = pthread_key_create(&key, 0) == 0;
}

void made_finalize(void)
{
	pthread_key_delete(key);
	has_key = 0;
}

void made_set_state(void *state)
{
	variable = state;
	pthread_setspecific(key, state);
}

/* As one that takes the interpreter's lock, or gives it back. */
void made_attach(void *state)
{
	attached = state;
}

#ifdef __x86_64__
#define JUMP "jmp "
#else
#define JUMP "b "
#endif
__asm__(".text\n"
	".globl _PyEval_EvalFrameDefault\n.type _PyEval_EvalFrameDefault, %function\n"
	"_PyEval_EvalFrameDefault:\n.cfi_startproc\n"
	"nop\nnop\nnop\nnop\nmade_inside:\n" JUMP "made_rest\nnop\nnop\nnop\n"
	".cfi_endproc\n.size _PyEval_EvalFrameDefault, .-_PyEval_EvalFrameDefault\n"
	".section .text.unlikely, \"ax\", %progbits\n"
	".globl made_cold\n.type made_cold, %function\n"
	"made_cold:\n.cfi_startproc\nmade_rest:\nnop\n" JUMP "made_inside\n" JUMP
	"made_inside\n" JUMP "made_inside\n" JUMP "made_inside\n"
	".cfi_endproc\n.size made_cold, .-made_cold\n.text\n");
