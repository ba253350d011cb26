// The queue lock of Mellor-Crummey and Scott: each thread waits at its own node.
//
// repair -m tso --with fences: nothing
// repair -m pso --with fences: 1 insertion, cost 2
// repair -m tso --with fences --robust --unwind 2: nothing
// repair -m pso --with fences --robust --unwind 2: 2 insertions, cost 4

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

volatile int waits[3], next[3];
atomic_int tail;
int counter;

void *enter(void *arg)
{
    int mine = arg ? 1 : 2;
    next[mine] = 0;
    int before = atomic_exchange(&tail, mine);
    if (before) {
        waits[mine] = 1;
        next[before] = mine;
        while (waits[mine])
            ;
    }
    counter++;
    if (!next[mine]) {
        int expected = mine;
        if (atomic_compare_exchange_strong(&tail, &expected, 0))
            return 0;
        while (!next[mine])
            ;
    }
    waits[next[mine]] = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, enter, 0);
    pthread_create(&b, 0, enter, &b);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
