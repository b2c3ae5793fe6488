// SPDX-License-Identifier: GPL-3.0-or-later
/* Embeds the libpython that is named: opened for itself, without headers. Threads that Python did
 * not make call Python, which calls C, which calls Python, which sends. The interpreter is ended
 * and begun again, then closed and opened again. Threads without Python make calls all the time. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUNDS	6
#define THREADS 3
#define CALLS	100
#define BESIDE	2

struct method {
	const char *name;
	void *(*call)(void *self, void *arguments);
	int flags;
	const char *doc;
};

#define METH_O 8

static void *python;
static int pair[2];

static void *symbol(const char *name)
{
	void *found = dlsym(python, name);

	if (!found)
		printf("no %s\n", name), exit(1);
	return found;
}

#define CALL(type, name, ...) ((type)symbol(name))(__VA_ARGS__)

/* through_c(f): f(), from C. */
__attribute__((noinline)) static void *through_c(void *self, void *function)
{
	(void)self;
	return CALL(void *(*)(void *, void *), "PyObject_CallObject", function, NULL);
}

/* send_here(n): send of this program. */
__attribute__((noinline)) static void *send_here(void *self, void *number)
{
	char byte;

	(void)self;
	(void)number;
	if (send(pair[0], "x", 1, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1)
		exit(1);
	return CALL(void *(*)(long), "PyLong_FromLong", 1L);
}

static struct method methods[] = {{"through_c", through_c, METH_O, NULL},
				  {"send_here", send_here, METH_O, NULL}};

static const char program[] = "def innermost():\n"
			      "    return send_here(1)\n"
			      "def between():\n"
			      "    return [innermost() for _ in range(1)]\n"
			      "def outermost():\n"
			      "    return through_c(between)\n";

static void *run(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < CALLS; i++) {
		int had = CALL(int (*)(void), "PyGILState_Ensure");

		if (CALL(int (*)(const char *), "PyRun_SimpleString", "outermost()") != 0)
			exit(1);
		CALL(void (*)(int), "PyGILState_Release", had);
	}
	return NULL;
}

static int over, quiet[2];

static void *look_on(void *unused)
{
	char byte;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		recv(quiet[0], &byte, 1, MSG_DONTWAIT);
	return unused;
}

static void begin(void)
{
	CALL(void (*)(int), "Py_InitializeEx", 0);
	void *module = CALL(void *(*)(const char *), "PyImport_AddModule", "__main__");

	for (unsigned i = 0; i < sizeof methods / sizeof *methods; i++)
		CALL(int (*)(void *, const char *, void *), "PyObject_SetAttrString", module,
		     methods[i].name,
		     CALL(void *(*)(struct method *, void *, void *), "PyCFunction_NewEx",
			  &methods[i], NULL, NULL));
	if (CALL(int (*)(const char *), "PyRun_SimpleString", program) != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	pthread_t beside[BESIDE];

	if (argc < 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, quiet) != 0)
		return 2;
	for (unsigned i = 0; i < BESIDE; i++)
		pthread_create(&beside[i], NULL, look_on, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		pthread_t thread[THREADS];

		if (!python && !(python = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)))
			return puts(dlerror()), 3;
		begin();
		void *state = CALL(void *(*)(void), "PyEval_SaveThread");

		for (unsigned i = 0; i < THREADS; i++)
			pthread_create(&thread[i], NULL, run, NULL);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		CALL(void (*)(void *), "PyEval_RestoreThread", state);
		if (CALL(int (*)(void), "Py_FinalizeEx") != 0)
			return 4;
		if (round % 2) {
			dlclose(python);
			python = NULL;
		}
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < BESIDE; i++)
		pthread_join(beside[i], NULL);
	puts("done");
	return 0;
}
