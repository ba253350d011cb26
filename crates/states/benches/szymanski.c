// Szymanski's mutual exclusion for N threads, each of which goes in for ever.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

#ifdef FENCED
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

volatile int flag0, flag1, flag2;
volatile int inside;

static int flag(int i)
{
    return i == 0 ? flag0 : i == 1 ? flag1 : flag2;
}

static void set(int i, int value)
{
    if (i == 0)
        flag0 = value;
    else if (i == 1)
        flag1 = value;
    else
        flag2 = value;
    fence();
}

static void run(int me)
{
    for (;;) {
        set(me, 1);
        for (int i = 0; i < N; i++)
            while (flag(i) >= 3)
                ;
        set(me, 3);
        for (int i = 0; i < N; i++)
            if (flag(i) == 1) {
                set(me, 2);
                for (int k = 0; flag(k) != 4; k = (k + 1) % N)
                    ;
                break;
            }
        set(me, 4);
        for (int i = 0; i < me; i++)
            while (flag(i) >= 2)
                ;
        inside = me;
        fence();
        assert(inside == me);
        for (int i = me + 1; i < N; i++)
            for (int seen = flag(i); seen == 2 || seen == 3; seen = flag(i))
                ;
        set(me, 0);
    }
}

void *first(void *arg)
{
    run(0);
    return 0;
}

void *second(void *arg)
{
    run(1);
    return 0;
}

void *third(void *arg)
{
    run(2);
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, first, 0);
    pthread_create(&id, 0, second, 0);
    if (N > 2)
        pthread_create(&id, 0, third, 0);
    return 0;
}
