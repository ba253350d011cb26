// ends, ends, never
// Who sees the flag takes the length from memory and would wait for the rest of an empty message. Only PSO lets
// the flag overtake the length.
#include <pthread.h>
#include <stdatomic.h>
volatile int length, flag;
void *first(void *arg) {
    length = 1;
    flag = 1;
    return 0;
}
void *second(void *arg) {
    while (!flag);
    int left = length;
    do {
        left--;
    } while (left != 0 && left != -1);
    if (left == -1)
        for (;;);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
