/* Accesses to _Atomic objects are sequentially consistent; what has no read-modify-write is a section. */
#include <stdatomic.h>
_Atomic int a = 1;
_Atomic(int *) p;
_Atomic float f;
_Atomic _Bool b;
volatile int v;
int main(void) {
    _Atomic int local = 3;
    int *q = (int *)&local;
    a = 2;
    int old = a++;
    int new = a += 5;
    a *= 3;
    p++;
    f += 1;
    b ^= 1;
    v = v + 1;
    int expected = 4;
    if (atomic_compare_exchange_strong_explicit(&a, &expected, 5, memory_order_acq_rel, memory_order_acquire))
        old = atomic_fetch_sub_explicit(&a, 1, memory_order_relaxed);
    atomic_store_explicit(&a, new, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    return old + *q;
}
