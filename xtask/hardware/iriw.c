// Independent reads of independent writes: all threads see stores reach memory in the same order.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(first_x) R(then_y) R(first_y) R(then_x)
#define THREADS(T) T(writer_x) T(writer_y) T(reader_xy) T(reader_yx)
#include "program.h"

THREAD(writer_x)
{
    store(x, 1);
}

THREAD(writer_y)
{
    store(y, 1);
}

THREAD(reader_xy)
{
    saw(first_x, load(x));
    saw(then_y, load(y));
}

THREAD(reader_yx)
{
    saw(first_y, load(y));
    saw(then_x, load(x));
}
