// A queue with room for two numbers, guarded by a mutex and two condition variables. Numbers come out in the order in
// which they were put in. A thread may wake up without a signal, so a wait belongs in a loop: with an `if`
// instead, the consumer may take from an empty queue.
//
// expect: sc safe, tso safe, pso safe
// expect -DWAIT_ONCE: sc unsafe, tso unsafe, pso unsafe

#include <assert.h>
#include <pthread.h>

#ifdef WAIT_ONCE
#define WAIT_WHILE if
#else
#define WAIT_WHILE while
#endif

enum { CAPACITY = 2, ITEMS = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static int queue[CAPACITY];
static int count, first;

static void put(int item)
{
    pthread_mutex_lock(&mutex);
    WAIT_WHILE (count == CAPACITY)
        pthread_cond_wait(&not_full, &mutex);
    queue[(first + count) % CAPACITY] = item;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
}

static int take(void)
{
    pthread_mutex_lock(&mutex);
    WAIT_WHILE (count == 0)
        pthread_cond_wait(&not_empty, &mutex);
    int item = queue[first];
    first = (first + 1) % CAPACITY;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return item;
}

static void *produce(void *unused)
{
    (void)unused;
    for (int item = 1; item <= ITEMS; item++)
        put(item);
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (int expected = 1; expected <= ITEMS; expected++) {
        int item = take();
        assert(item == expected);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
