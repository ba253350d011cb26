// A message whose reader must see what was written before it, with all orders left out.
//
// relax -m tso: cost 0 instead of 4;
// relax -m pso: cost 1 instead of 4; 17 release store
// relax -m sc --data-race: cost 2 instead of 4; 17 release store, 25 acquire load

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

void *writer(void *unused)
{
    data = 1;
    ready = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    if (atomic_load(&ready)) {
        int value = data;
        assert(value == 1);
    }
    return 0;
}
