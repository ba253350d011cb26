// Dekker's mutual exclusion, the code of each thread written out.
//
// repair -m tso: 2 insertions, cost 20
// repair -m pso: 4 insertions, cost 24
// repair -m tso --robust --unwind 2: 2 insertions, cost 20
// repair -m pso --robust --unwind 2: 4 insertions, cost 24

#include <assert.h>
#include <pthread.h>

volatile int flag0, flag1, turn, inside;

void *zero(void *unused)
{
    flag0 = 1;
    while (flag1) {
        if (turn == 1) {
            flag0 = 0;
            while (turn == 1)
                ;
            flag0 = 1;
        }
    }
    inside++;
    assert(inside == 1);
    inside--;
    turn = 1;
    flag0 = 0;
    return unused;
}

void *one(void *unused)
{
    flag1 = 1;
    while (flag0) {
        if (turn == 0) {
            flag1 = 0;
            while (turn == 0)
                ;
            flag1 = 1;
        }
    }
    inside++;
    assert(inside == 1);
    inside--;
    turn = 0;
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
