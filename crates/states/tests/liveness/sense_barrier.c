// ends, ends, ends
// The last to arrive resets the count before it turns the sense over, which nobody passes before. So each of the
// two rounds is complete.
#include <pthread.h>
#include <stdatomic.h>
atomic_int count = 2, sense;
void *worker(void *arg) {
    for (int own = 1; own >= 0; own--) {
        if (atomic_fetch_sub(&count, 1) == 1) {
            atomic_store(&count, 2);
            atomic_store(&sense, own);
        } else {
            while (atomic_load(&sense) != own);
        }
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
