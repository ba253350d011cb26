// ends, ends, ends
// The kernel lets a thread sleep only while the word is 1, and whoever gives the lock back wakes it afterwards.
#include <pthread.h>
#include <stdatomic.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int word;
void *worker(void *arg) {
    while (atomic_exchange(&word, 1))
        syscall(SYS_futex, &word, FUTEX_WAIT, 1, 0, 0, 0);
    atomic_store(&word, 0);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
