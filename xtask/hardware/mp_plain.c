// Message passing with plain variables of different sizes.

#define VARIABLES(V) V(long, data) V(char, flag)
#define RESULTS(R) R(saw_flag) R(saw_data)
#define THREADS(T) T(sender) T(receiver)
#include "program.h"

THREAD(sender)
{
    at->data = 1;
    at->flag = 1;
}

THREAD(receiver)
{
    saw(saw_flag, at->flag);
    saw(saw_data, (int)at->data);
}
