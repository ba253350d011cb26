// ends, never, never
// Under SC one of the two stores comes first, and the other thread sees it. With store buffers both threads may
// read 0: the second does not wake the first, which waits.
#include <pthread.h>
#include <stdatomic.h>
volatile int waiting, ready, woken;
void *first(void *arg) {
    waiting = 1;
    if (!ready)
        while (!woken);
    return 0;
}
void *second(void *arg) {
    ready = 1;
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
