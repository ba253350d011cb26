// ends, ends, ends
// Each thread spins on the node of the one before, which that one clears when it leaves.
#include <pthread.h>
#include <stdatomic.h>
atomic_int nodes[3] = { 0, 1, 1 };
atomic_int *_Atomic tail = &nodes[0];
void *worker(void *arg) {
    atomic_int *own = arg;
    atomic_int *before = atomic_exchange(&tail, own);
    while (*before);
    *own = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, &nodes[1]);
    pthread_create(&b, 0, worker, &nodes[2]);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
