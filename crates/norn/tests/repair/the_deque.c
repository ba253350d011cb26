// The deque of Cilk-5 (THE): the owner takes from the tail, a thief from the head with a lock; they meet at the last item.
//
// repair -m tso: 2 insertions, cost 20
// repair -m pso: 2 insertions, cost 20
// repair -m tso --robust --unwind 2: 2 insertions, cost 20
// repair -m pso --robust --unwind 2: 2 insertions, cost 20

#include <assert.h>
#include <pthread.h>

volatile int head, tail;
int taken[2];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int take(void)
{
    tail = tail - 1;
    if (head > tail) {
        tail = tail + 1;
        pthread_mutex_lock(&lock);
        tail = tail - 1;
        if (head > tail) {
            tail = tail + 1;
            pthread_mutex_unlock(&lock);
            return -1;
        }
        pthread_mutex_unlock(&lock);
    }
    return tail;
}

int steal(void)
{
    pthread_mutex_lock(&lock);
    head = head + 1;
    if (head > tail) {
        head = head - 1;
        pthread_mutex_unlock(&lock);
        return -1;
    }
    int item = head - 1;
    pthread_mutex_unlock(&lock);
    return item;
}

void *thief(void *unused)
{
    int item = steal();
    if (item >= 0)
        taken[1] = 1 + item;
    return unused;
}

int main(void)
{
    pthread_t thread;
    tail = 1;
    pthread_create(&thread, 0, thief, 0);
    int item = take();
    if (item >= 0)
        taken[0] = 1 + item;
    pthread_join(thread, 0);
    assert(taken[0] == 0 || taken[1] == 0);
    return 0;
}
