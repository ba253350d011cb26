//// A futex: who waits is woken, and a wake-up before the wait is not remembered, but the word has changed then.
//// check --deadlock: safe
//// check -m sc -e states --deadlock: safe
//// check -m sc --deadlock -DNO_WAKE: unsafe deadlock
//// check -m sc --deadlock -DNO_STORE: unsafe deadlock
//// check -m sc --deadlock -DPRIVATE=FUTEX_PRIVATE_FLAG: safe
//// check --32 --deadlock: safe
#include <linux/futex.h>
#include <sys/syscall.h>
#ifndef PRIVATE
#define PRIVATE 0
#endif
static atomic_int word;
THREAD(waits) {
    while (word == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT | PRIVATE, 0, NULL);
    return 0;
}
int main(void) {
    pthread_t thread = start(waits);
#ifndef NO_STORE
    word = 1;
#endif
#ifndef NO_WAKE
    syscall(SYS_futex, &word, FUTEX_WAKE | PRIVATE, 1);
#endif
    finish(thread);
}
//// The word is compared as one step with the beginning of the wait; another value is an error.
//// check: safe
//// check -e events: safe
#include <linux/futex.h>
#include <sys/syscall.h>
int main(void) {
    int word = 3;
    assert(syscall(SYS_futex, &word, FUTEX_WAIT, 4, NULL, NULL, 0) == -1);
    assert(errno == EAGAIN);
    assert(syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX) == 0);
}
//// Waking up without cause is possible; a time limit passes.
//// check -DTIMEOUT=0 --deadlock: unsafe assertion 0 @after
//// check -DTIMEOUT=&soon --deadlock: unsafe assertion 0 @after
//// check -DTIMEOUT=&soon -DTIMED: unsafe assertion errno != ETIMEDOUT
#include <linux/futex.h>
#include <sys/syscall.h>
static int word;
int main(void) {
    long result = syscall(SYS_futex, &word, FUTEX_WAIT, 0, TIMEOUT);
    assert(result == 0 || (result == -1 && errno == ETIMEDOUT));
#ifdef TIMED
    assert(result == 0 || errno != ETIMEDOUT);
#else
    assert(0); // @after
#endif
}
//// A time limit is certain to pass, so it is no deadlock; without one it is.
//// check -DTIMEOUT=0 --deadlock: unsafe deadlock
//// check -DTIMEOUT=&soon --deadlock: safe
#include <linux/futex.h>
#include <sys/syscall.h>
static int word;
int main(void) {
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, TIMEOUT);
}
//// A wake-up of one thread wakes one, any of those that wait, and says so; others go on waiting.
//// check -m sc -DWAKE=1 -DCOUNT=1: safe
//// check -m sc -DWAKE=2 -DCOUNT=2: safe
//// check -m sc -DWAKE=INT_MAX -DCOUNT=2: safe
//// check -m sc -DWAKE=0 -DCOUNT=0: safe
//// check -m sc -DWAKE=1 -DCOUNT=1 --deadlock: unsafe deadlock
//// check -m sc -DWAKE=2 -DCOUNT=2 --deadlock: safe
#include <linux/futex.h>
#include <sys/syscall.h>
static int word;
static sem_t begun;
THREAD(waits) {
    sem_post(&begun);
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0);
    return 0;
}
int main(void) {
    sem_init(&begun, 0, 0);
    pthread_t a = start(waits), b = start(waits);
    sem_wait(&begun);
    sem_wait(&begun);
    long woken = syscall(SYS_futex, &word, FUTEX_WAKE, WAKE);
    assert(woken <= COUNT);
    if (woken < (WAKE < 2 ? WAKE : 2))
        exit(0);
    finish(a);
    finish(b);
}
//// Threads that wait on different words do not wake one another.
//// check -m sc --deadlock: unsafe deadlock
//// check -m sc --deadlock -DRIGHT: safe
#include <linux/futex.h>
#include <sys/syscall.h>
static int words[2];
static volatile int waits_now;
THREAD(waits) {
    syscall(SYS_futex, &words[1], FUTEX_WAIT, 0, 0);
    return 0;
}
int main(void) {
    pthread_t a = start(waits);
#ifdef RIGHT
    while (syscall(SYS_futex, &words[1], FUTEX_WAKE, 1) == 0)
        ;
#else
    syscall(SYS_futex, &words[0], FUTEX_WAKE, 1);
#endif
    finish(a);
}
//// A system call is a fence, and orders nothing in the sense of happens-before.
//// check: safe
//// check -m sc --data-race -DRACE: unsafe data-race
#include <linux/futex.h>
#include <sys/syscall.h>
#ifdef RACE
static int x, y;
#else
static atomic_int x, y;
#define LOOK(a) atomic_load_explicit(&a, memory_order_relaxed)
#define SET(a) atomic_store_explicit(&a, 1, memory_order_relaxed)
#endif
#ifndef LOOK
#define LOOK(a) a
#define SET(a) a = 1
#endif
static int word, seen_x, seen_y;
THREAD(first) {
    SET(x);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1);
    seen_y = LOOK(y);
    return 0;
}
THREAD(second) {
    SET(y);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1);
    seen_x = LOOK(x);
    return 0;
}
int main(void) {
    both(first, second);
    assert(seen_x || seen_y);
}
//// What is not modelled of system calls.
//// check -DCALL=SYS_futex,&word,FUTEX_REQUEUE,0,0,&word: unknown an operation on a futex other than waiting and waking
//// check -DCALL=SYS_futex,&word,FUTEX_WAKE_BITSET,1,0,0,3: unknown a futex with a set of bits
//// check -DCALL=SYS_futex,&word,FUTEX_WAKE_BITSET,1,0,0,FUTEX_BITSET_MATCH_ANY: safe
//// check -DCALL=SYS_read,0,0,0: unknown the system call with the number 0
//// check -DCALL=SYS_membarrier,MEMBARRIER_CMD_GLOBAL,0: unknown a memory barrier in all threads
//// check -DCALL=SYS_membarrier,MEMBARRIER_CMD_QUERY,0: safe
//// check -DCALL=word,0: unknown a system call with a number that is not a constant
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
static int word;
int main(void) {
    syscall(CALL);
}
