// never, never, never
// The first thread has two turns, the second one only: after that nobody gives the turn back.
#include <pthread.h>
#include <stdatomic.h>
volatile int turn;
void *first(void *arg) {
    for (int i = 0; i < 2; i++) {
        while (turn != 0);
        turn = 1;
    }
    return 0;
}
void *second(void *arg) {
    while (turn != 1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
