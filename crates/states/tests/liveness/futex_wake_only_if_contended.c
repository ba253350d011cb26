// never, never, never
// The state says whether somebody waits (2), but the one who was woken takes the lock with 1: of three threads
// the last one is forgotten.
#include <pthread.h>
#include <stdatomic.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int word;
void *worker(void *arg) {
    int zero = 0;
    if (!atomic_compare_exchange_strong(&word, &zero, 1)) {
        for (;;) {
            int one = 1;
            atomic_compare_exchange_strong(&word, &one, 2);
            syscall(SYS_futex, &word, FUTEX_WAIT, 2, 0, 0, 0);
            zero = 0;
            if (atomic_compare_exchange_strong(&word, &zero, 1))
                break;
        }
    }
    if (atomic_exchange(&word, 0) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    worker(0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
