// A ring buffer for one producer and one consumer. The producer puts an element into its slot and then moves the tail. If the
// tail is stored with a relaxed order, PSO may show the new tail to the consumer first, who then takes what the slot had before.
//
// expect: sc safe, tso safe, pso unsafe
// expect -DRELEASE: sc safe, tso safe, pso safe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SIZE 2
#define ELEMENTS 3

#ifdef RELEASE
#define PUBLISH memory_order_release
#else
#define PUBLISH memory_order_relaxed
#endif

static struct {
    int slots[SIZE];
    atomic_uint head, tail;
} ring;

static bool put(int element)
{
    unsigned tail = atomic_load_explicit(&ring.tail, memory_order_relaxed);
    if (tail - atomic_load_explicit(&ring.head, memory_order_acquire) == SIZE)
        return false;
    ring.slots[tail % SIZE] = element;
    atomic_store_explicit(&ring.tail, tail + 1, PUBLISH);
    return true;
}

static bool get(int *element)
{
    unsigned head = atomic_load_explicit(&ring.head, memory_order_relaxed);
    if (head == atomic_load_explicit(&ring.tail, memory_order_acquire))
        return false;
    *element = ring.slots[head % SIZE];
    atomic_store_explicit(&ring.head, head + 1, memory_order_release);
    return true;
}

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 1; i <= ELEMENTS; i++)
        if (!put(i))
            break;
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    int element, last = 0;
    for (int i = 1; i <= ELEMENTS; i++)
        if (get(&element))
            assert(element == ++last);
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
