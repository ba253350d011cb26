/* There is one process, with any number, which stays the same. Its parent may end and be replaced at any time. */
#include <norn.h>
#include <unistd.h>

unsigned int __norn_nondet_pid(void);

static pid_t any(void) {
    return (pid_t)(__norn_nondet_pid() & 0x7fffffff);
}

static pid_t number;

static void choose(void) __attribute__((constructor));

static void choose(void) {
    number = any();
    if (number == 0)
        number = 1;
}

pid_t getpid(void) {
    return number;
}

pid_t getppid(void) {
    return any();
}
