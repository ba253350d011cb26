//// Functions registered with atexit run when main returns and at exit, the last one first; not at _Exit and abort.
//// check -DEND=return(0): unsafe assertion order == 2 @first
//// check -DEND=exit(0): unsafe assertion order == 2 @first
//// check -DEND=_Exit(0): safe
//// check -DEND=abort(): safe
//// check -DEND=return(0) -e events: unsafe assertion order == 2 @first
//// check -DEND=return(0) -e states: unsafe assertion order == 2 @first
static int order;
static void first(void) {
    order = order * 10 + 1;
    assert(order == 2); // @first
}
static void second(void) {
    order = order * 10 + 2;
    assert(order == 2);
}
int main(void) {
    assert(atexit(first) == 0);
    assert(atexit(second) == 0);
    END;
}
//// The order of functions at exit, and what a function at exit registers.
//// check: safe
static int order;
static void check(void) {
    assert(order == 132);
}
static void third(void) {
    order = order * 10 + 3;
}
static void second(void) {
    order = order * 10 + 2;
}
static void first(void) {
    order = order * 10 + 1;
    atexit(third);
}
int main(void) {
    atexit(check);
    atexit(second);
    atexit(first);
    return 0;
}
//// Main's return ends the program if functions were registered with atexit, and only its own thread if not.
//// check: safe
//// check -DNONE: unsafe assertion !main_has_returned
//// check -DTWICE: safe
static atomic_int main_has_returned;
static void nothing(void) {
}
THREAD(looks) {
    int *frame = argument;
    assert(!main_has_returned || *frame == 3);
    assert(!main_has_returned);
    return 0;
}
int main(void) {
    static int calls;
    int frame = 3;
    pthread_t thread;
#ifdef TWICE
    if (calls++ == 0)
        return main();
#endif
    assert(pthread_create(&thread, 0, looks, &frame) == 0);
#ifdef NONE
    main_has_returned = 1;
    if (frame != 3)
        atexit(nothing);
#else
    assert(atexit(nothing) == 0);
    pthread_join(thread, 0);
    main_has_returned = 1;
#endif
    return 0;
}
//// That the last thread calls the functions if main ends by pthread_exit is not modelled.
//// check: unknown main ends by 'pthread_exit' after 'atexit'
//// check -DNONE: safe
static void nothing(void) {
}
int main(void) {
#ifndef NONE
    assert(atexit(nothing) == 0);
#else
    if (0)
        atexit(nothing);
#endif
    pthread_exit(0);
}
//// A process has any number, always the same one.
//// check -e events: safe
//// check -e events -DNEVER=1000: unsafe assertion
//// check -e events -DNEVER=1: unsafe assertion
//// check -e events -DNEVER=INT_MAX: unsafe assertion
//// check -e events -DNEVER=0: safe
static int other;
THREAD(asks) {
    other = getpid();
    return 0;
}
int main(void) {
    pthread_t thread = start(asks);
    int number = getpid();
    assert(number > 0);
    finish(thread);
    assert(number == other);
#ifdef NEVER
    assert(number != NEVER);
#endif
    assert(getppid() >= 0);
}
//// An environment variable is unset or has any text, and stays as it is.
//// check -e events -m sc: unsafe assertion home[0] != '/'
//// check -e events -m sc -DUNSET: unsafe assertion home
int main(void) {
    char *home = getenv("HOME");
#ifdef UNSET
    assert(home);
#else
    assert(getenv("HOME") == home);
    assert(!home || home[0] != '/' || home[1] != 'x');
#endif
}
//// The list of environment variables is not modelled.
//// check: unknown the contents of 'environ'
extern char **environ;
int main(void) {
    assert(environ[0] == 0);
}
//// Constructors run before main and destructors at exit: by priority, those without one nearest to main.
//// check: safe
//// check -e events: safe
//// check -DWRONG: unsafe assertion order == 0 @last
//// check -DEND=exit(0) -DWRONG: unsafe assertion order == 0 @last
//// check -DEND=_Exit(0) -DWRONG: safe
//// check -DEND=abort() -DWRONG: safe
#ifndef END
#define END return 0
#endif
static int order;
static void then(int before, int after) {
    assert(order == before);
    order = after;
}
__attribute__((destructor(101))) static void last(void) {
#ifdef WRONG
    assert(order == 0); // @last
#endif
    then(8, 9);
}
__attribute__((constructor)) static void third(void) { then(2, 3); }
__attribute__((destructor)) static void eighth_from_below(void) { then(6, 7); }
__attribute__((destructor)) static void seventh(void) { then(5, 6); }
__attribute__((constructor(101))) static void first(void) { then(0, 1); }
__attribute__((constructor(102))) static void second(void) { then(1, 2); }
__attribute__((destructor(102))) static void eighth(void) { then(7, 8); }
static void registered(void) { then(4, 5); }
int main(void) {
    atexit(registered);
    then(3, 4);
    END;
}
//// Functions of on_exit get the status and their argument; those of at_quick_exit run at quick_exit, and no others do.
//// check -DEND=exit(3): unsafe assertion status == 4
//// check -DEND=return(4): safe
//// check -DEND=quick_exit(5): unsafe assertion 0 @quick
//// check -DEND=_exit(6): safe
static void with_status(int status, void *argument) {
    assert(argument == (void *)7);
    assert(status == 4);
}
static void plain(void) {
}
static void quick(void) {
    assert(0); // @quick
}
int main(void) {
    on_exit(with_status, (void *)7);
    atexit(plain);
    at_quick_exit(quick);
    END;
}
//// Threads have numbers of their own; the first one has that of the process.
//// check -e events -m sc: safe
#include <sys/syscall.h>
static int other;
THREAD(asks) {
    other = gettid();
    return 0;
}
int main(void) {
    finish(start(asks));
    assert(gettid() == getpid());
    assert(other != gettid() && other > 0);
    assert(syscall(SYS_gettid) == gettid());
}
//// To abort ends the program; it is a violation if the user says so.
//// check: safe
//// check --abort-is-error: unsafe assertion abort() is called @aborts
//// check --abort-is-error -e states: unsafe assertion abort() is called @aborts
//// check --abort-is-error -e events: unsafe assertion abort() is called @aborts
//// check --abort-is-error -DNEVER: safe
//// check --abort-is-error -DNEVER -e events: safe
#define CHECK(condition) ((condition) ? (void)0 : abort())
static atomic_int x;
THREAD(sets) {
    x = 1;
    return 0;
}
int main(void) {
    start(sets);
#ifdef NEVER
    CHECK(x < 2);
#else
    CHECK(x == 0); // @aborts
#endif
}
