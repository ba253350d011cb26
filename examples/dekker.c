// Dekker's mutual exclusion for two threads: each announces its interest and gives way when it is not its turn.
// It is right under SC. With store buffers the announcement may still be invisible when the other thread looks, and
// both enter. Under PSO, what was written in the critical section must also arrive before the lock is given up.
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
    while (interested[other]) {
        if (turn != me) {
            interested[me] = 0;
            while (turn != me)
                ;
            interested[me] = 1;
            fence();
        }
    }
}

static void unlock(int me)
{
    fence();
    turn = 1 - me;
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
