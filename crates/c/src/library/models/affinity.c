/* The processors that a thread may run on: any, at least one, whatever was asked for. */
#include <norn.h>
#include <norn_errno.h>
#include <norn_pthread.h>
#include <sched.h>

unsigned long __norn_nondet_processors_of_thread(void);

#define WORDS (CPU_SETSIZE / (8 * (int)sizeof(long)))

static void check_size(size_t size) {
    if (size != sizeof(cpu_set_t))
        __norn_unsupported("sets of processors of another size than 'cpu_set_t'");
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set) {
    (void)process;
    (void)size;
    (void)set;
    return 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
    (void)thread;
    (void)size;
    (void)set;
    return 0;
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    (void)process;
    check_size(size);
    unsigned long some = 0;
    for (int i = 0; i < WORDS; i++)
        some |= set->__bits[i] = __norn_nondet_processors_of_thread();
    __norn_assume(some != 0);
    return 0;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
    (void)thread;
    return sched_getaffinity(0, size, set);
}

/* Without a loop over bits whose number is not known: sums of pairs, of fours, of bytes, of all bytes. */
static int ones(unsigned long long word) {
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    word += word >> 8;
    word += word >> 16;
    word += word >> 32;
    return (int)(word & 127);
}

int __sched_cpucount(size_t size, const cpu_set_t *set) {
    check_size(size);
    int count = 0;
    for (int i = 0; i < WORDS; i++)
        count += ones(set->__bits[i]);
    return count;
}
