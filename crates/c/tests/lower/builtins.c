/* Built-in functions where the program is careless. */
#include <stdatomic.h>
#include <stdio.h>
atomic_int a;
int main(void) {
    int old = atomic_load_explicit(&a, memory_order_release);
    atomic_store_explicit(&a, 1, memory_order_acquire);
    atomic_compare_exchange_strong_explicit(&a, &old, 2, memory_order_acq_rel, memory_order_acq_rel);
    assume(old == 1);
    printf(0);
    return 0;
}
