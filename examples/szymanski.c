// Szymanski's mutual exclusion, here for two threads: a waiting room whose door closes behind those who go in together,
// and which they leave in the order of their numbers. Right under SC, broken by store buffers.
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

enum { OUTSIDE, WANTS_IN, WAITS_FOR_OTHERS, IN_DOORWAY, DOOR_CLOSED };

static volatile int state[2];
static volatile int owner;

static void lock(int me)
{
    int other = 1 - me;
    state[me] = WANTS_IN;
    fence();
    while (state[other] >= IN_DOORWAY)
        ;
    state[me] = IN_DOORWAY;
    fence();
    if (state[other] == WANTS_IN) {
        state[me] = WAITS_FOR_OTHERS;
        fence();
        while (state[other] != DOOR_CLOSED)
            ;
    }
    state[me] = DOOR_CLOSED;
    fence();
    if (me == 1) {
        while (state[0] >= WAITS_FOR_OTHERS)
            ;
    }
}

static void unlock(int me)
{
    if (me == 0) {
        // Whoever is in the doorway must first find the door closed.
        int other;
        do
            other = state[1];
        while (other == WAITS_FOR_OTHERS || other == IN_DOORWAY);
    }
    fence();
    state[me] = OUTSIDE;
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
