// ends, ends, ends
// The producer waits for an empty slot, the consumer for a full one. Each empties or fills it for the other;
// nothing is put in twice.
#include <pthread.h>
#include <stdatomic.h>
volatile int slot;
void *first(void *arg) {
    for (int i = 1; i <= 2; i++) {
        while (slot);
        slot = i;
    }
    return 0;
}
void *second(void *arg) {
    for (int i = 1; i <= 2; i++) {
        while (!slot);
        slot = 0;
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
