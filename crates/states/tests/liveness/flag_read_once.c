// never, never, never
// The flag is read once, into a register. If it was not set then, the loop looks at the register for ever.
#include <pthread.h>
#include <stdatomic.h>
int flag;
void *first(void *arg) {
    flag = 1;
    return 0;
}
void *second(void *arg) {
    int seen = flag;
    while (!seen);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
