/* There is one process, with any number, which stays the same. Its parent may end and be replaced at any time. Its threads have
   the numbers after it, in the order of their creation. No process is ever made, so nobody calls what prepares for that. */
#define _GNU_SOURCE
#include <norn.h>
#include <pthread.h>
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
    if (__norn_is_linked("gettid"))
        __norn_assume(number < 0x7fff0000);
}

pid_t getpid(void) {
    return number;
}

pid_t getppid(void) {
    return any();
}

pid_t gettid(void) {
    return number + (pid_t)__norn_self();
}

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    (void)prepare;
    (void)parent;
    (void)child;
    return 0;
}
