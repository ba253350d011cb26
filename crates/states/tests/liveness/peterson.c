// ends, ends, ends
// turn has one value, so one of the two conditions is false once all stores are in memory; when that thread
// leaves it lowers its flag.
#include <pthread.h>
#include <stdatomic.h>
volatile int flag0, flag1, turn;
void *first(void *arg) {
    flag0 = 1;
    turn = 1;
    while (flag1 && turn == 1);
    flag0 = 0;
    return 0;
}
void *second(void *arg) {
    flag1 = 1;
    turn = 0;
    while (flag0 && turn == 0);
    flag1 = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
