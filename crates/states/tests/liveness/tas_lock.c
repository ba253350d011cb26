// ends, ends, ends
// Each thread takes the lock once and gives it back, and the store of 0 reaches memory some time. Then nobody
// holds it any more, so whoever spins gets it at the next attempt.
#include <pthread.h>
#include <stdatomic.h>
atomic_int taken;
void *worker(void *arg) {
    while (atomic_exchange(&taken, 1));
    atomic_store_explicit(&taken, 0, memory_order_release);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
