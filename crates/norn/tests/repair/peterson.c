// Peterson's mutual exclusion, the code of each thread written out.
//
// repair -m tso: 2 insertions, cost 20
// repair -m pso: 6 insertions, cost 28
// repair -m tso --robust --unwind 2: 2 insertions, cost 20
// repair -m pso --robust --unwind 2: 6 insertions, cost 28

#include <assert.h>
#include <pthread.h>

volatile int flag0, flag1, turn, inside;

void *zero(void *unused)
{
    flag0 = 1;
    turn = 1;
    while (flag1 && turn == 1)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    flag0 = 0;
    return unused;
}

void *one(void *unused)
{
    flag1 = 1;
    turn = 0;
    while (flag0 && turn == 0)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    flag1 = 0;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, zero, 0);
    pthread_create(&b, 0, one, 0);
    return 0;
}
