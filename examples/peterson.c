// Peterson's mutual exclusion for two threads: announce interest, let the other go first, wait while it wants to.
// Right under SC, but not with store buffers: both threads may look before the announcements can be seen.
// Under PSO the order of the two announcements matters too, hence a fence after each of them.
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

static volatile int interested[2];
static volatile int turn;
static volatile int owner;

static void lock(int me)
{
    int other = 1 - me;
    interested[me] = 1;
    fence();
    turn = other;
    fence();
    while (interested[other] && turn == other)
        ;
}

static void unlock(int me)
{
    fence();
    interested[me] = 0;
}

static void critical_section(int me)
{
    owner = me;
    assert(owner == me);
}

static void *first(void *unused)
{
    (void)unused;
    lock(0);
    critical_section(0);
    unlock(0);
    return NULL;
}

static void *second(void *unused)
{
    (void)unused;
    lock(1);
    critical_section(1);
    unlock(1);
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
