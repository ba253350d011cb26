// ends, ends, ends
// With full fences between store and load one of the threads sees the store of the other under every model.
#include <pthread.h>
#include <stdatomic.h>
volatile int waiting, ready, woken;
void *first(void *arg) {
    waiting = 1;
    __sync_synchronize();
    if (!ready)
        while (!woken);
    return 0;
}
void *second(void *arg) {
    ready = 1;
    __sync_synchronize();
    if (waiting)
        woken = 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
