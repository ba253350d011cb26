// A sequence lock: odd while the writer writes.
//
// repair -m tso: nothing
// repair -m pso: 2 insertions, cost 4
// repair -m tso --robust --unwind 2: nothing
// repair -m pso --robust --unwind 2: 2 insertions, cost 4

#include <assert.h>
#include <pthread.h>

volatile int sequence, left, right;

void *writer(void *unused)
{
    sequence = 1;
    left = 1;
    right = 1;
    sequence = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int before = sequence;
    int l = left, r = right;
    if (before % 2 == 0 && sequence == before)
        assert(l == r);
    return 0;
}
