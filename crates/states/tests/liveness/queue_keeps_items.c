// ends, ends, ends
// Places are taken by atomic steps, so each item has a place of its own, and reaches memory.
#include <pthread.h>
#include <stdatomic.h>
atomic_int tail;
volatile int items[2];
void *worker(void *arg) {
    items[atomic_fetch_add(&tail, 1)] = 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    while (!items[0]);
    while (!items[1]);
}
