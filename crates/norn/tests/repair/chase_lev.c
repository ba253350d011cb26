// The deque of Chase and Lev with relaxed orders and without fences: one owner, one thief.
//
// repair -m tso --with fences: 1 insertion, cost 10
// repair -m pso --with fences: 2 insertions, cost 12
// repair -m tso --with fences --robust --unwind 2: 1 insertion, cost 10
// repair -m pso --with fences --robust --unwind 2: 2 insertions, cost 12

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { EMPTY = -1 };
atomic_int top, bottom, items[2], taken[3];

void put(int item)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[b % 2], item, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t < b)
        return atomic_load_explicit(&items[b % 2], memory_order_relaxed);
    int item = EMPTY;
    if (t == b && atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_relaxed, memory_order_relaxed))
        item = atomic_load_explicit(&items[b % 2], memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return item;
}

int steal(void)
{
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    if (t >= b)
        return EMPTY;
    int item = atomic_load_explicit(&items[t % 2], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_relaxed, memory_order_relaxed))
        return EMPTY;
    return item;
}

void got(int item)
{
    if (item != EMPTY) {
        assert(item > 0);
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
    pthread_join(thread, 0);
    return 0;
}
