//// A date is any, within the ranges of its fields.
//// check -e events -m sc: safe
//// check -e events -m sc -DNEVER=date->tm_hour==23: unsafe assertion
//// check -e events -m sc -DNEVER=date->tm_mday==0: safe
//// check -e events -m sc -DNEVER=mktime(date)==5: unsafe assertion
#include <time.h>
int main(void) {
    time_t now = time(0);
    struct tm own, *date = localtime_r(&now, &own);
    assert(date == &own && own.tm_sec >= 0 && own.tm_sec <= 60 && own.tm_mon >= 0 && own.tm_mon < 12);
    date = gmtime(&now);
    assert(date == localtime(&now) && date->tm_hour < 24);
#ifdef NEVER
    assert(!(NEVER));
#endif
}
//// The text of a date fills no more than the room that is given, or nothing is said about it.
//// check -e events -m sc: safe
//// check -e events -m sc -DSIZE=8: safe
//// check -e events -m sc -DSIZE=10: unsafe out-of-bounds
//// check -e events -m sc -DMODIFIER: unknown a conversion of 'strftime'
#include <time.h>
#ifndef SIZE
#define SIZE 9
#endif
int main(void) {
    time_t now = 5;
    struct tm date;
    gmtime_r(&now, &date);
    char text[9];
    size_t length = strftime(text, SIZE, "%H:%M:%S%%" + 0, &date);
    assert(length == 0);
    length = strftime(text, 9, "%H:%M:%S", &date);
    assert(length == 8 && text[2] == ':' && strlen(text) == 8);
#ifdef MODIFIER
    strftime(text, 9, "%Ey", &date);
#endif
}
//// The date that localtime gives belongs to all threads, that of localtime_r does not.
//// check --data-race -e events -m sc: unsafe data-race
//// check --data-race -e events -m sc -DOWN: safe
#include <time.h>
THREAD(asks) {
    time_t now = 5;
#ifdef OWN
    struct tm own;
    localtime_r(&now, &own);
#else
    localtime(&now);
#endif
    return 0;
}
int main(void) {
    both(asks, asks);
}
//// Random numbers with a state are any; the state is used by one thread at a time.
//// check -e events -m sc: safe
//// check -e events -m sc -DNEVER=value==7: unsafe assertion
//// check -e events -m sc -DNEVER=value<0: safe
//// check -e enumerate -m sc --data-race -DSHARED: unsafe data-race
static struct drand48_data state;
THREAD(draws) {
    long value;
    lrand48_r(&state, &value);
    return 0;
}
int main(void) {
#ifdef SHARED
    both(draws, draws);
#endif
    unsigned short own[3] = { 1, 2, 3 };
    long value;
    assert(srand48_r(5, &state) == 0 && lrand48_r(&state, &value) == 0);
    double one = erand48(own);
    assert(one >= 0 && one < 1);
#ifdef NEVER
    assert(!(NEVER));
#endif
}
//// Sets of processors.
//// check -m sc: safe
//// check -m sc -e states: safe
#include <sched.h>
int main(void) {
    cpu_set_t a, b;
    CPU_ZERO(&a);
    CPU_SET(3, &a);
    CPU_ZERO(&b);
    CPU_SET(3, &b);
    CPU_SET(70, &b);
    assert(CPU_COUNT(&b) == 2 && !CPU_EQUAL(&a, &b));
    CPU_AND(&b, &b, &a);
    assert(CPU_COUNT(&b) == 1 && CPU_EQUAL(&a, &b));
    assert(pthread_setaffinity_np(pthread_self(), sizeof a, &a) == 0);
}
//// A thread may run on any processors, at least one.
//// check -m sc -e events: safe
//// check -m sc -e events -DON=5: unsafe assertion CPU_ISSET(ON, &set)
#include <sched.h>
int main(void) {
    cpu_set_t set;
    assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
    assert(CPU_COUNT(&set) > 0);
#ifdef ON
    assert(CPU_ISSET(ON, &set));
#endif
}
//// Names of threads are harmless, other requests may be refused, and questions are not answered.
//// check: safe
//// check -DCALL=PR_SET_DUMPABLE,0: unsafe assertion CALL
//// check -DCALL=PR_GET_DUMPABLE,0: unknown 'prctl' that asks for something
#include <sys/prctl.h>
int main(void) {
    assert(prctl(PR_SET_NAME, "worker", 0, 0, 0) == 0);
#ifdef CALL
    assert(prctl(CALL) == 0);
#endif
}
//// An alarm ends the program at some time, unless there may be a handler.
//// check: safe
//// check -DEND=assert(0): unsafe assertion 0
//// check -DHANDLER: unknown 'alarm' in a program that handles signals
#include <signal.h>
#ifndef END
#define END
#endif
static void handler(int number) {
}
int main(void) {
    assert(alarm(5) == 0);
#ifdef HANDLER
    signal(SIGALRM, handler);
#endif
    END;
}
//// Contexts and processes beside threads are declared, and not supported.
//// check -DCALL=getcontext(&context): unknown 'getcontext'
//// check -DCALL=swapcontext(&context,&context): unknown user contexts are not supported
//// check -DCALL=clone(run,stack,CLONE_VM|CLONE_THREAD,0): unknown 'clone'
//// check -DCALL=context.uc_stack.ss_sp=stack: safe
#include <sched.h>
#include <ucontext.h>
static ucontext_t context;
static char stack[64];
static int run(void *argument) {
    return 0;
}
int main(void) {
    CALL;
}
//// With _GNU_SOURCE, strerror_r gives the text; without, a number says how it went.
//// check -m sc: safe
//// check -m sc --system-headers -D_GNU_SOURCE: safe
//// check -m sc --system-headers -DPOSIX: safe
#ifdef POSIX
#define _POSIX_C_SOURCE 200809L
#endif
#include <assert.h>
#include <errno.h>
#include <string.h>
int main(void) {
    char room[9];
#ifdef POSIX
    assert(strerror_r(EINVAL, room, sizeof room) == 0 && strlen(room) > 0);
    assert(strerror_r(EINVAL, room, 1) == ERANGE);
#else
    char *text = strerror_r(EINVAL, room, sizeof room);
    assert(text && strlen(text) > 0);
#endif
}
