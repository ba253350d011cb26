// Szymanski's mutual exclusion for two threads.
//
// repair -m tso: 2 insertions, cost 20
// repair -m pso: 3 insertions, cost 22
// repair -m tso --robust --unwind 2: 4 insertions, cost 40
// repair -m pso --robust --unwind 2: 5 insertions, cost 42

#include <assert.h>
#include <pthread.h>

volatile int flag[2], inside;

void *enter(void *arg)
{
    int me = arg != 0, other = !me;
    flag[me] = 1;
    while (flag[other] >= 3)
        ;
    flag[me] = 3;
    if (flag[other] == 1) {
        flag[me] = 2;
        while (flag[other] != 4)
            ;
    }
    flag[me] = 4;
    while (me == 1 && flag[other] >= 2)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    while (me == 0 && (flag[other] == 2 || flag[other] == 3))
        ;
    flag[me] = 0;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, enter, 0);
    enter(&thread);
    return 0;
}
