// never, never, never
// Tickets of one bit are too few for three threads: two hold ticket 0 at once. Both enter, and both serve the
// next: the number is 1 for a moment only, and who waits for 1 may not look then.
#include <pthread.h>
#include <stdatomic.h>
atomic_uint next, serving;
void *worker(void *arg) {
    unsigned own = atomic_fetch_add(&next, 1) % 2;
    while (atomic_load(&serving) % 2 != own);
    atomic_fetch_add(&serving, 1);
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_create(&c, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
}
