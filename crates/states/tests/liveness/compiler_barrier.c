// ends, ends, ends
// A compiler barrier makes the loop read the flag anew each time. The processor needs no fence: the store
// reaches memory some time, and then the loop sees it.
#include <pthread.h>
#include <stdatomic.h>
int flag;
void *first(void *arg) {
    flag = 1;
    return 0;
}
void *second(void *arg) {
    while (!flag)
        __asm__ volatile("" ::: "memory");
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
