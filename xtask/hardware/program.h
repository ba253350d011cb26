// What the programs of this folder are written with. Each one declares, before it includes this file,
//
//   VARIABLES(V)   the shared variables, as V(type, name); all start at 0, and their final values are part of the outcome
//   RESULTS(R)     what the threads saw, as R(name)
//   THREADS(T)     the threads, as T(name)
//   OBJECTS        (optional) further members, such as a mutex
//   SETUP(at)      (optional) how these are initialised, before the threads start
//
// and then gives every thread a body: THREAD(name) { ... }.
//
// Norn reads the file as it is: the threads run once, and 'outcome' holds what came of it. A C compiler is given
// -DHARDWARE, which brings in a main that runs the threads again and again and counts the outcomes.

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef OBJECTS
#define OBJECTS
#endif
#ifndef SETUP
#define SETUP(at) ((void)(at))
#endif

// Every variable has a cache line of its own, so that each can be fast or slow to reach by itself. They are volatile
// because Norn takes accesses as written: the compiler must not merge or move them either.
#define CACHE_LINE 64
#define VARIABLE(type, name) _Alignas(CACHE_LINE) volatile type name;
#define RESULT(name) _Alignas(CACHE_LINE) volatile int name;
struct cells {
    VARIABLES(VARIABLE)
    RESULTS(RESULT)
    _Alignas(CACHE_LINE) char objects_follow;
    OBJECTS
};
#undef VARIABLE
#undef RESULT

#define THREAD(name) static void name(struct cells *at)
#define DECLARE(name) static void name(struct cells *at);
THREADS(DECLARE)
#undef DECLARE

#define store(name, value) atomic_store_explicit(&at->name, (value), memory_order_relaxed)
#define load(name) atomic_load_explicit(&at->name, memory_order_relaxed)
#define saw(name, value) ((void)(at->name = (value)))

// One number for each result and each variable, in this order.
#define ONE(...) +1
enum { OUTCOME_SIZE = 0 RESULTS(ONE) VARIABLES(ONE), THREAD_COUNT = 0 THREADS(ONE) };
#undef ONE

static void read_outcome(struct cells *at, int outcome[OUTCOME_SIZE])
{
    int next = 0;
#define READ_RESULT(name) outcome[next++] = at->name;
#define READ_VARIABLE(type, name) outcome[next++] = (int)at->name;
    RESULTS(READ_RESULT)
    VARIABLES(READ_VARIABLE)
#undef READ_RESULT
#undef READ_VARIABLE
}

#ifdef HARDWARE
#include "repeat.h"
#else

static struct cells cells;
static int outcome[OUTCOME_SIZE];

#define START(name) static void *start_##name(void *at) { name(at); return NULL; }
THREADS(START)
#undef START

int main(void)
{
    SETUP(&cells);
#define CREATE(name) pthread_t thread_##name; pthread_create(&thread_##name, NULL, start_##name, &cells);
#define JOIN(name) pthread_join(thread_##name, NULL);
    THREADS(CREATE)
    THREADS(JOIN)
#undef CREATE
#undef JOIN
    read_outcome(&cells, outcome);
    return 0;
}

#endif
