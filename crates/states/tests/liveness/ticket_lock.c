// ends, ends, ends
// Tickets are served in order, and every holder serves the next, so each ticket has its turn.
#include <pthread.h>
#include <stdatomic.h>
atomic_uint next, serving;
void *worker(void *arg) {
    for (int i = 0; i < 2; i++) {
        unsigned own = atomic_fetch_add(&next, 1);
        while (atomic_load(&serving) != own);
        atomic_fetch_add(&serving, 1);
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
