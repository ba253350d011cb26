// never, never, never
// Whoever comes second spins on a lock that nobody gives back.
#include <pthread.h>
#include <stdatomic.h>
atomic_int taken;
void *worker(void *arg) {
    while (atomic_exchange(&taken, 1));
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
