// Message passing: who sees the flag sees the data.

#define VARIABLES(V) V(atomic_int, data) V(atomic_int, flag)
#define RESULTS(R) R(saw_flag) R(saw_data)
#define THREADS(T) T(sender) T(receiver)
#include "program.h"

THREAD(sender)
{
    store(data, 1);
    store(flag, 1);
}

THREAD(receiver)
{
    saw(saw_flag, load(flag));
    saw(saw_data, load(data));
}
