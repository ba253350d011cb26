// The queue lock of Craig, Landin and Hagersten: each thread waits at the node of the one before it.
//
// repair -m tso --with fences: nothing
// repair -m pso --with fences: 1 insertion, cost 2
// repair -m tso --with fences --robust --unwind 2: nothing
// repair -m pso --with fences --robust --unwind 2: 1 insertion, cost 2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

volatile int locked[3];
atomic_int tail;
int counter;

void *enter(void *arg)
{
    int mine = arg ? 1 : 2;
    locked[mine] = 1;
    int before = atomic_exchange(&tail, mine);
    while (locked[before])
        ;
    counter++;
    locked[mine] = 0;
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
