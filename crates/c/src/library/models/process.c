/* There is one process, with any number, which stays the same. Its parent may end and be replaced at any time. */
#include <norn.h>
#include <unistd.h>

unsigned int __norn_nondet_pid(void);

static pid_t any(void) {
    return (pid_t)(__norn_nondet_pid() & 0x7fffffff);
}

static pid_t number;

pid_t getpid(void) {
    pid_t chosen = any();
    __norn_section_begin();
    if (number == 0)
        number = chosen ? chosen : 1;
    pid_t result = number;
    __norn_section_end();
    return result;
}

pid_t getppid(void) {
    return any();
}
