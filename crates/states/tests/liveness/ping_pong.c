// ends, ends, ends
// Each thread waits for the number that the other one writes. No store stays in a buffer for ever, with or
// without fences.
#include <pthread.h>
#include <stdatomic.h>
volatile int ball;
void *first(void *arg) {
    for (int i = 0; i < 4; i += 2) {
        while (ball != i);
        ball = i + 1;
    }
    return 0;
}
void *second(void *arg) {
    for (int i = 1; i < 4; i += 2) {
        while (ball != i);
        ball = i + 1;
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
