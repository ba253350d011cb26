// Lamport's bakery for two threads.
//
// repair -m tso: 2 insertions, cost 20
// repair -m pso: 3 insertions, cost 22
// repair -m tso --robust --unwind 2: 2 insertions, cost 20
// repair -m pso --robust --unwind 2: 4 insertions, cost 24

#include <assert.h>
#include <pthread.h>

volatile int choosing[2], number[2], inside;

void *enter(void *arg)
{
    int me = arg != 0, other = !me;
    choosing[me] = 1;
    number[me] = number[other] + 1;
    choosing[me] = 0;
    while (choosing[other])
        ;
    while (number[other] != 0 && (number[other] < number[me] || (number[other] == number[me] && other < me)))
        ;
    inside++;
    assert(inside == 1);
    inside--;
    number[me] = 0;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, enter, 0);
    enter(&thread);
    return 0;
}
