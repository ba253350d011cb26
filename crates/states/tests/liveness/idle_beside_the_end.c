// ends, ends, ends
// A thread that goes round for ever ends with the program, when main returns.
#include <pthread.h>
#include <stdatomic.h>
void *worker(void *arg) {
    for (;;);
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
}
