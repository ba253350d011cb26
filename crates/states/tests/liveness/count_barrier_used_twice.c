// never, never, never
// A fast thread passes the barrier and raises the count for the second round before the slow one has seen that
// the first is complete: then the count is 1, and never 2 again.
#include <pthread.h>
#include <stdatomic.h>
atomic_int count;
void *worker(void *arg) {
    for (int i = 0; i < 2; i++) {
        if (atomic_fetch_add(&count, 1) == 1)
            atomic_store(&count, 0);
        else
            while (atomic_load(&count) != 0);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
