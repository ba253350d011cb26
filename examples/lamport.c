// Lamport's fast mutual exclusion, here for the threads 1 and 2: without contention a thread enters after a handful of
// accesses. Right under SC; with store buffers it needs fences like all algorithms made of plain reads and writes.
//
// expect: sc safe, tso unsafe, pso unsafe
// expect -DFENCED: sc safe, tso safe, pso safe

#include <assert.h>
#include <pthread.h>

#ifdef FENCED
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

static volatile int trying[3];
static volatile int x, y;
static volatile int owner;

static void lock(int me)
{
    for (;;) {
        trying[me] = 1;
        fence();
        x = me;
        fence();
        if (y != 0) {
            // Somebody is inside or about to be.
            trying[me] = 0;
            while (y != 0)
                ;
            continue;
        }
        y = me;
        fence();
        if (x == me)
            return;

        // Contention: wait until the others have decided, then see who has won.
        trying[me] = 0;
        fence();
        while (trying[3 - me])
            ;
        if (y == me)
            return;
        while (y != 0)
            ;
    }
}

static void unlock(int me)
{
    fence();
    y = 0;
    fence();
    trying[me] = 0;
}

static void critical_section(int me)
{
    owner = me;
    assert(owner == me);
}

static void *first(void *unused)
{
    (void)unused;
    lock(1);
    critical_section(1);
    unlock(1);
    return NULL;
}

static void *second(void *unused)
{
    (void)unused;
    lock(2);
    critical_section(2);
    unlock(2);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
