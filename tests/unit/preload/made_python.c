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

/* _Py_DebugOffsets of 3.13.0 in words: those that are read. */
uint64_t _PyRuntime[256] = {
#if MINOR >= 13
	[0] = 0x7970677562656478, /* "xdebugpy" */
	[1] = 3ul << 24 | MINOR << 16 | 0xf0,
	[4] = 608,
	[22] = 16,
	[23] = 72,
	[24] = 152,
	[29] = 8,
	[30] = 0,
	[31] = 56,
	[33] = 70,
	[35] = 112,
	[37] = 128,
	[38] = 136,
	[39] = 68,
	[43] = 200,
	[45] = 8,
#endif
};

static pthread_key_t key;
static int has_key;

void *PyGILState_GetThisThreadState(void)
{
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
	pthread_setspecific(key, state);
}

#ifdef __x86_64__
#define JUMP "jmp "
#else
#define JUMP "b "
#endif
__asm__(".text\n"
	".globl _PyEval_EvalFrameDefault\n.type _PyEval_EvalFrameDefault, %function\n"
	"_PyEval_EvalFrameDefault:\n.cfi_startproc\n"
	"nop\nnop\nnop\nnop\nmade_inside:\nnop\nnop\nnop\nnop\n"
	".cfi_endproc\n.size _PyEval_EvalFrameDefault, .-_PyEval_EvalFrameDefault\n"
	".section .text.unlikely, \"ax\", %progbits\n"
	".globl made_cold\n.type made_cold, %function\n"
	"made_cold:\n.cfi_startproc\nnop\n" JUMP "made_inside\n" JUMP "made_inside\n" JUMP
	"made_inside\n" JUMP "made_inside\n"
	".cfi_endproc\n.size made_cold, .-made_cold\n.text\n");
