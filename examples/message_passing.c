// Message passing: the sender writes the data and then raises a flag; a receiver that sees the flag must see the data.
// TSO keeps stores in order, so the flag cannot overtake the data. PSO has a buffer per location, and there it can,
// unless the flag is written by a release store. Without one, the receiver's read of the data is a data race under all
// three models, because nothing orders it after the write as far as C is concerned.
//
// expect: sc safe, tso safe, pso unsafe
// expect -DRELEASE: sc safe, tso safe, pso safe
// expect --data-race: sc unsafe, tso unsafe, pso unsafe
// expect --data-race -DRELEASE: sc safe, tso safe, pso safe
// expect --data-race -e events -DRELEASE: sc safe, tso safe, pso safe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELEASE
#define ORDER memory_order_release
#else
#define ORDER memory_order_relaxed
#endif

static int data;
static atomic_int flag;

static void *send(void *unused)
{
    (void)unused;
    data = 42;
    atomic_store_explicit(&flag, 1, ORDER);
    return NULL;
}

static void *receive(void *unused)
{
    (void)unused;
    if (atomic_load_explicit(&flag, memory_order_acquire) == 1)
        assert(data == 42);
    return NULL;
}

int main(void)
{
    pthread_t sender, receiver;
    pthread_create(&sender, NULL, send, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}
