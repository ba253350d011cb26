// The deque of Chase and Lev with the orders and fences of Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013), and work that is
// written before it is put and read after it is taken.
//
// relax -m tso: cost 10 instead of 30; 29 full fence
// relax -m pso: cost 12 instead of 30; 21 release fence, 29 full fence
// relax -m pso --data-race: cost 13 instead of 30; 21 release fence, 29 full fence, 48 acquire load

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { EMPTY = -1 };
atomic_int top, bottom, items[2], taken[3];
int work[3];

void put(int item)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    work[item] = item;
    atomic_store_explicit(&items[b % 2], item, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return EMPTY;
    }
    int item = atomic_load_explicit(&items[b % 2], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
            item = EMPTY;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return item;
}

int steal(void)
{
    int t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return EMPTY;
    int item = atomic_load_explicit(&items[t % 2], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
        return EMPTY;
    return item;
}

void got(int item)
{
    if (item != EMPTY) {
        assert(work[item] == item);
        int before = atomic_fetch_add_explicit(&taken[item], 1, memory_order_relaxed);
        assert(before == 0);
    }
}

void *thief(void *unused)
{
    int first = steal(), second = steal();
    got(first);
    got(second);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, thief, 0);
    put(1);
    put(2);
    int first = take(), second = take();
    got(first);
    got(second);
    return 0;
}
