// Message passing over a third thread in between.

#define VARIABLES(V) V(atomic_int, data) V(atomic_int, first) V(atomic_int, second)
#define RESULTS(R) R(saw_first) R(saw_second) R(saw_data)
#define THREADS(T) T(sender) T(between) T(receiver)
#include "program.h"

THREAD(sender)
{
    store(data, 1);
    store(first, 1);
}

THREAD(between)
{
    int seen = load(first);
    saw(saw_first, seen);
    store(second, seen);
}

THREAD(receiver)
{
    saw(saw_second, load(second));
    saw(saw_data, load(data));
}
