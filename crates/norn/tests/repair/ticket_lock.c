// A ticket lock: to draw a ticket is a read-modify-write, to let the next one in is a store.
//
// repair -m tso --with fences: nothing
// repair -m pso --with fences: 1 insertion, cost 2
// repair -m tso --with fences --robust --unwind 2: nothing
// repair -m pso --with fences --robust --unwind 2: 1 insertion, cost 2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int next, serving;
int counter;

void *enter(void *unused)
{
    int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_relaxed) != ticket)
        ;
    counter++;
    atomic_store_explicit(&serving, ticket + 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, enter, 0);
    pthread_create(&b, 0, enter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
