// Szymanski's mutual exclusion for three threads, each of which goes in again and again.
#include <assert.h>
#include <pthread.h>

#ifdef FENCED
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

enum { N = 3, OUTSIDE = 0, WANTS_IN, WAITS_FOR_OTHERS, IN_DOORWAY, DOOR_CLOSED };

volatile int flag[N];
volatile int inside;

static void *run(void *arg)
{
    int me = (int)(long)arg;
    for (;;) {
        flag[me] = WANTS_IN;
        fence();
        for (int i = 0; i < N; i++)
            while (flag[i] >= IN_DOORWAY)
                ;
        flag[me] = IN_DOORWAY;
        fence();
        for (int i = 0; i < N; i++)
            if (flag[i] == WANTS_IN) {
                flag[me] = WAITS_FOR_OTHERS;
                fence();
                for (int k = 0; flag[k] != DOOR_CLOSED; k = (k + 1) % N)
                    ;
                break;
            }
        flag[me] = DOOR_CLOSED;
        fence();
        for (int i = 0; i < me; i++)
            while (flag[i] >= WAITS_FOR_OTHERS)
                ;
        inside = me;
        fence();
        assert(inside == me);
        for (int i = me + 1; i < N; i++)
            for (int seen = flag[i]; seen == WAITS_FOR_OTHERS || seen == IN_DOORWAY; seen = flag[i])
                ;
        flag[me] = OUTSIDE;
        fence();
    }
    return 0;
}

int main(void)
{
    pthread_t id;
    for (long me = 0; me < N; me++)
        pthread_create(&id, 0, run, (void *)me);
    return 0;
}
