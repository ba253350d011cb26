// Lamport's fast mutual exclusion for two threads.
//
// repair -m tso: 2 insertions, cost 20
// repair -m pso: 3 insertions, cost 22
// repair -m tso --robust --unwind 2: 2 insertions, cost 20
// repair -m pso --robust --unwind 2: 5 insertions, cost 26

#include <assert.h>
#include <pthread.h>

volatile int trying[2], x, y, inside;

void *enter(void *arg)
{
    int me = arg != 0;
again:
    trying[me] = 1;
    x = me + 1;
    if (y != 0) {
        trying[me] = 0;
        while (y != 0)
            ;
        goto again;
    }
    y = me + 1;
    if (x != me + 1) {
        trying[me] = 0;
        while (trying[!me])
            ;
        if (y != me + 1) {
            while (y != 0)
                ;
            goto again;
        }
    }
    inside++;
    assert(inside == 1);
    inside--;
    y = 0;
    trying[me] = 0;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, enter, 0);
    enter(&thread);
    return 0;
}
