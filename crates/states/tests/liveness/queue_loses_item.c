// never, never, never
// The producers take their places without an atomic step. Both may take the same one: then one item is lost, and
// the consumer waits for it.
#include <pthread.h>
#include <stdatomic.h>
volatile int tail, items[2];
void *worker(void *arg) {
    int place = tail;
    tail = place + 1;
    items[place] = 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    while (!items[0]);
    while (!items[1]);
}
