// never, never, never
// Both raise their flags and wait for the other to lower it.
#include <pthread.h>
#include <stdatomic.h>
volatile int flag_first, flag_second, turn;
enum { first_turn, second_turn };
void *first(void *arg) {
    flag_first = 1;
    while (flag_second) {
    }
    flag_first = 0;
    return 0;
}
void *second(void *arg) {
    flag_second = 1;
    while (flag_first) {
    }
    flag_second = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
