// A ring buffer for one producer and one consumer.
//
// repair -m tso: nothing
// repair -m pso: 1 insertion, cost 20
// repair -m tso --robust --unwind 2: 2 insertions, cost 200
// repair -m pso --robust --unwind 2: 3 insertions, cost 220

#include <assert.h>
#include <pthread.h>

enum { SIZE = 2, ITEMS = 3 };
volatile int head, tail, slots[SIZE];

void *produce(void *unused)
{
    for (int item = 1; item <= ITEMS; item++) {
        while (tail - head == SIZE)
            ;
        slots[tail % SIZE] = item;
        tail = tail + 1;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, produce, 0);
    for (int item = 1; item <= ITEMS; item++) {
        while (head == tail)
            ;
        assert(slots[head % SIZE] == item);
        head = head + 1;
    }
    return 0;
}
