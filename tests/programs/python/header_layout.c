// SPDX-License-Identifier: GPL-3.0-or-later
/* The same lines as show_layout, by the headers of a Python that is installed. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>

#define MINOR		   PY_MINOR_VERSION
#define PYTHON_ENTRY_FRAME 3 /* as preload/python/python_layout.h has it */
#if MINOR >= 11
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#endif
#if MINOR >= 14
#include <internal/pycore_interpframe.h>
#endif
#include <internal/pycore_pystate.h>
#if MINOR >= 9
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif

#define SHOW(field, type, member) printf(#field " %zu\n", offsetof(type, member))

#if MINOR <= 10
static void show_frames(void)
{
	SHOW(state_frame, PyThreadState, frame);
	SHOW(frame_code, PyFrameObject, f_code);
	SHOW(frame_previous, PyFrameObject, f_back);
	SHOW(frame_instruction, PyFrameObject, f_lasti);
	SHOW(code_name, PyCodeObject, co_name);
	_Static_assert(offsetof(PyCodeObject, co_code) == 48, "as interpreter.c has it");
	printf("entry frames 0\ninstruction unit %d\n", MINOR == 10 ? 2 : 1);
#if MINOR == 10
	SHOW(code_table, PyCodeObject, co_linetable);
	puts("table 2");
#else
	SHOW(code_table, PyCodeObject, co_lnotab);
	puts("table 1");
#endif
}
#else
static void show_frames(void)
{
#if MINOR <= 12
	SHOW(state_frame, PyThreadState, cframe);
	SHOW(cframe_frame, _PyCFrame, current_frame);
	SHOW(cframe_previous, _PyCFrame, previous);
	SHOW(frame_code, _PyInterpreterFrame, f_code);
	SHOW(frame_instruction, _PyInterpreterFrame, prev_instr);
#else
	SHOW(state_frame, PyThreadState, current_frame);
	SHOW(frame_code, _PyInterpreterFrame, f_executable);
	SHOW(frame_instruction, _PyInterpreterFrame, instr_ptr);
#endif
	SHOW(frame_previous, _PyInterpreterFrame, previous);
	SHOW(frame_owner, _PyInterpreterFrame, owner);
	SHOW(code_name, PyCodeObject, co_qualname);
	SHOW(code_table, PyCodeObject, co_linetable);
	SHOW(code_bytecode, PyCodeObject, co_code_adaptive);
	SHOW(code_first_traceable, PyCodeObject, _co_firsttraceable);
	printf("table 3\nentry frames %d\ninstruction unit 0\n", MINOR >= 12);
#if MINOR >= 14
	_Static_assert(FRAME_OWNED_BY_INTERPRETER == PYTHON_ENTRY_FRAME, "the first one is meant");
#elif MINOR >= 12
	_Static_assert(FRAME_OWNED_BY_CSTACK == PYTHON_ENTRY_FRAME, "the first one is meant");
#endif
}
#endif

int main(void)
{
	SHOW(state_interp, PyThreadState, interp);
	SHOW(state_thread, PyThreadState, thread_id);
#if MINOR == 8
	SHOW(finalizing, _PyRuntimeState, finalizing);
#else
	SHOW(finalizing, _PyRuntimeState, _finalizing);
#endif
	SHOW(runtime_interpreters, _PyRuntimeState, interpreters.head);
#if MINOR >= 11
	SHOW(interpreter_states, PyInterpreterState, threads.head);
#else
	SHOW(interpreter_states, PyInterpreterState, tstate_head);
#endif
	SHOW(interpreter_next, PyInterpreterState, next);
	_Static_assert(offsetof(PyThreadState, next) == 8, "as the tool has it");
	SHOW(code_filename, PyCodeObject, co_filename);
	SHOW(code_first_line, PyCodeObject, co_firstlineno);
	show_frames();
	SHOW(object_type, PyObject, ob_type);
	SHOW(bytes_size, PyVarObject, ob_size);
	SHOW(bytes_data, PyBytesObject, ob_sval);
	SHOW(text_length, PyASCIIObject, length);
	SHOW(text_state, PyASCIIObject, state);
	printf("text_ascii %zu\n", sizeof(PyASCIIObject));
	printf("text_compact %zu\n", sizeof(PyCompactUnicodeObject));
	SHOW(type_name, PyTypeObject, tp_name);
	SHOW(type_dealloc, PyTypeObject, tp_dealloc);
	return 0;
}
