// Two producers add to a stock under a mutex; two consumers take from it without one, if they think that there is
// something to take. When one item is left, both consumers can find it and both take it. The bug needs no store buffers. It
// goes away when the consumers use the mutex too.
//
// expect: sc unsafe, tso unsafe, pso unsafe
// expect -DFIXED: sc safe, tso safe, pso safe

#include <assert.h>
#include <pthread.h>

#ifdef FIXED
#define consumer_lock() pthread_mutex_lock(&mutex)
#define consumer_unlock() pthread_mutex_unlock(&mutex)
#else
#define consumer_lock() ((void)0)
#define consumer_unlock() ((void)0)
#endif

static pthread_mutex_t mutex;
static int stock;

static void *produce(void *amount)
{
    int remaining = *(int *)amount;
    pthread_mutex_lock(&mutex);
    if (stock > 0) {
        stock++;
    } else {
        stock = 0;
        for (; remaining > 0; remaining--)
            stock++;
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    consumer_lock();
    if (stock > 0) {
        stock--;
        assert(stock >= 0);
    }
    consumer_unlock();
    return NULL;
}

int main(void)
{
    int one = 1, five = 5;
    pthread_t producers[2], consumers[2];
    pthread_mutex_init(&mutex, NULL);
    pthread_create(&producers[0], NULL, produce, &one);
    pthread_create(&producers[1], NULL, produce, &five);
    pthread_create(&consumers[0], NULL, consume, NULL);
    pthread_create(&consumers[1], NULL, consume, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_join(producers[i], NULL);
        pthread_join(consumers[i], NULL);
    }
    return 0;
}
