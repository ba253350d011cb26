// never, never, never
// Both raise their flags, both see the other, both lower them and raise them again, in step for ever.
#include <pthread.h>
#include <stdatomic.h>
volatile int flag_first, flag_second, turn;
enum { first_turn, second_turn };
void *first(void *arg) {
    flag_first = 1;
    while (flag_second) {
        flag_first = 0;
        flag_first = 1;
    }
    flag_first = 0;
    return 0;
}
void *second(void *arg) {
    flag_second = 1;
    while (flag_first) {
        flag_second = 0;
        flag_second = 1;
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
