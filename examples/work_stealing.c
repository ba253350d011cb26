// A queue for work stealing (after Chase and Lev): its owner puts items in and takes them back out at the bottom, thieves
// take from the top. Only the last item is fought over, by a compare-exchange on the top. The owner first announces by
// the bottom that it takes an item and then looks at the top: without a full fence between the two, a thief may still see
// the old bottom, and both get the same item. Under PSO the bottom must also not overtake the item that is put there.
//
// expect: sc safe, tso safe, pso safe
// expect -DUNFENCED: sc safe, tso unsafe, pso unsafe
// expect -DRELAXED: sc safe, tso safe, pso unsafe
// expect --data-race: sc safe, tso safe, pso safe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// --- the queue

#ifdef UNFENCED
#define fence() ((void)0)
#else
#define fence() atomic_thread_fence(memory_order_seq_cst)
#endif

#ifdef RELAXED
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

enum { CAPACITY = 4, EMPTY = -1 };

static atomic_int top, bottom;
static atomic_int slots[CAPACITY];

// For the owner. The harness never puts in more items than there are slots.
static void put(int item)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&slots[b % CAPACITY], item, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, PUBLISH);
}

// For the owner.
static int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    fence();
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t < b)
        return atomic_load_explicit(&slots[b % CAPACITY], memory_order_relaxed);
    // One item is left, or none: whoever moves the top has it.
    int item = EMPTY;
    if (t == b && atomic_compare_exchange_strong(&top, &t, t + 1))
        item = atomic_load_explicit(&slots[b % CAPACITY], memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return item;
}

// For everybody else. It gives up when another thread was faster, instead of trying again.
static int steal(void)
{
    int t = atomic_load_explicit(&top, memory_order_acquire);
    fence();
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return EMPTY;
    int item = atomic_load_explicit(&slots[t % CAPACITY], memory_order_relaxed);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? item : EMPTY;
}

// --- the harness: two items, the owner takes twice, a thief steals twice

enum { ITEMS = 2 };

// How often each item came out. Items are numbered from 1, so that a slot that was never filled is noticed. Counting
// comes after the operations under test: it would be a fence between them.
static atomic_int seen[ITEMS + 1];

static void got(int item)
{
    if (item == EMPTY)
        return;
    assert(item >= 1 && item <= ITEMS);
    int before = atomic_fetch_add_explicit(&seen[item], 1, memory_order_relaxed);
    assert(before == 0);
}

static void *thief(void *unused)
{
    (void)unused;
    int first = steal(), second = steal();
    got(first);
    got(second);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, thief, NULL);
    for (int item = 1; item <= ITEMS; item++)
        put(item);
    int first = take(), second = take();
    got(first);
    got(second);
    pthread_join(thread, NULL);
    got(take());
    // Nothing got lost.
    for (int item = 1; item <= ITEMS; item++)
        assert(atomic_load(&seen[item]) == 1);
    return 0;
}
