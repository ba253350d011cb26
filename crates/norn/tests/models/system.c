//// Signals can be prepared for; none comes. Sending one is not modelled.
//// check: safe
//// check -DSEND=raise(SIGUSR1): unknown 'raise'
//// check -DSEND=kill(5,SIGUSR1): unknown 'kill'
//// check -DSEND=pthread_kill(pthread_self(),SIGUSR1): unknown 'pthread_kill'
//// check -DSEND=alarm(1): unknown 'alarm'
//// check -DSEND=signal(SIGABRT,handler): unknown a handler of SIGABRT
#include <signal.h>
static void handler(int number) {
    assert(0);
}
int main(void) {
    struct sigaction action = { .sa_handler = handler }, old;
    assert(signal(SIGUSR1, handler) == SIG_DFL);
    assert(signal(SIGUSR1, SIG_IGN) == handler);
    assert(signal(SIGKILL, handler) == SIG_ERR && errno == EINVAL);
    assert(signal(65, handler) == SIG_ERR);
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    assert(sigaction(SIGUSR2, &action, 0) == 0);
    assert(sigaction(SIGUSR2, 0, &old) == 0);
    assert(old.sa_handler == handler && old.sa_flags == SA_RESTART);
    assert(sigaction(0, 0, &old) == -1);
#ifdef SEND
    SEND;
#endif
}
//// Sets of signals, and the mask of a thread, with which the threads that it creates begin.
//// check: safe
//// check --32: safe
#include <signal.h>
THREAD(looks) {
    sigset_t mine, nothing;
    sigemptyset(&nothing);
    assert(pthread_sigmask(SIG_SETMASK, &nothing, &mine) == 0);
    assert(sigismember(&mine, SIGUSR1) && !sigismember(&mine, SIGUSR2) && sigismember(&mine, 64));
    return 0;
}
int main(void) {
    sigset_t set, old;
    sigemptyset(&set);
    assert(sigaddset(&set, SIGUSR1) == 0 && sigaddset(&set, SIGKILL) == 0 && sigaddset(&set, 64) == 0);
    assert(sigaddset(&set, 65) == -1 && errno == EINVAL);
    assert(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
    assert(!sigismember(&old, SIGUSR1));
    finish(start(looks));
    assert(sigprocmask(SIG_UNBLOCK, 0, &old) == 0);
    assert(sigismember(&old, SIGUSR1) == 1 && sigismember(&old, SIGKILL) == 0 && sigismember(&old, 64) == 1);
    sigemptyset(&set);
    sigaddset(&set, 64);
    assert(sigprocmask(SIG_UNBLOCK, &set, 0) == 0 && sigprocmask(9, &set, 0) == -1);
    assert(pthread_sigmask(9, 0, &old) == 0 && sigismember(&old, 64) == 0 && sigismember(&old, SIGUSR1));
}
//// The number of processors is any, at least 1, and stays the same; a thread may run on any of them.
//// check -e events: safe
//// check -e events -DNEVER=1: unsafe assertion
//// check -e events -DNEVER=64: unsafe assertion
//// check -e events -DNEVER=0: safe
//// check -e events -DNEVER=0 -DOTHER: unknown 'sysconf' of something other
#include <sched.h>
#include <sys/sysinfo.h>
int main(void) {
#ifdef OTHER
    sysconf(_SC_OPEN_MAX);
#endif
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int here = sched_getcpu();
    assert(processors >= 1 && here >= 0 && here < processors && processors == get_nprocs());
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(3, &set);
    assert(CPU_ISSET(3, &set) && !CPU_ISSET(2, &set) && !CPU_ISSET(4000, &set));
    assert(sched_setaffinity(0, sizeof set, &set) == 0);
#ifdef NEVER
    assert(processors != NEVER);
#endif
}
//// The size of pages is known; asking for it costs nothing.
//// check: safe
//// check -e states: safe
int main(void) {
    assert(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_CLK_TCK) == 100 && getpagesize() == 4096);
}
//// A clock that never goes back does not; others may.
//// check -e events -m sc -DCLOCK=CLOCK_MONOTONIC: safe
//// check -e events -m sc -DCLOCK=CLOCK_REALTIME: unsafe assertion
#include <time.h>
int main(void) {
    struct timespec a, b;
    clock_gettime(CLOCK, &a);
    clock_gettime(CLOCK, &b);
    assert(a.tv_nsec >= 0 && a.tv_nsec < 1000000000);
    assert(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
}
//// Pages without a file: whole ones, zero, given back as a whole.
//// check -m sc: safe
//// check -m sc -DDO=p[4096]=1: unsafe out-of-bounds
//// check -m sc -DDO=munmap(p,5000): unknown 'munmap' of something other than all pages
//// check -m sc -DDO=munmap(p,4096),p[0]=1: unsafe use-after-free
//// check -m sc -DDO=munmap(p,4096),munmap(p,4096): unsafe double-free
//// check -m sc -DDO=mmap(0,9,PROT_NONE,MAP_PRIVATE|MAP_ANONYMOUS,-1,0): unknown cannot be read and written
//// check -m sc -DDO=mmap(0,9,3,MAP_PRIVATE,0,0): unknown 'mmap' of a file
//// check -m sc --malloc-may-fail: unsafe assertion p != MAP_FAILED
#include <sys/mman.h>
int main(void) {
    char *p = mmap(0, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(p != MAP_FAILED);
    assert(p[0] == 0 && p[4095] == 0);
    p[4095] = 1;
    assert(mmap(0, 0, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
#ifdef DO
    (void)(DO);
#else
    assert(munmap(p, 100) == 0);
#endif
}
//// Messages of err.h end the program or do not; what is registered for the exit runs.
//// check -m sc: safe
//// check -m sc -DLAST=errx(2,"%d",5): unsafe assertion 0 @exit
//// check -m sc -DLAST=warn("x"): unsafe assertion 0 @after
#include <err.h>
static int ends;
static void at_exit(void) {
    if (ends)
        assert(0); // @exit
}
int main(void) {
    atexit(at_exit);
    warnx("number %d", 3);
#ifdef LAST
    ends = 1;
    LAST;
    assert(0); // @after
#else
    err(1, "end");
#endif
}
//// Output of bytes reads them, and only the standard streams can be written to.
//// check -m sc: safe
//// check -m sc -DSIZE=5: unsafe out-of-bounds
//// check -m sc -DDESCRIPTOR=3: unknown writing to something other than the standard streams
#include <stdio.h>
#ifndef SIZE
#define SIZE 4
#endif
#ifndef DESCRIPTOR
#define DESCRIPTOR 1
#endif
int main(void) {
    static const char text[4] = "abc\n";
    assert(fwrite(text, 2, SIZE / 2, stdout) == SIZE / 2);
    assert(write(DESCRIPTOR, text, SIZE) == SIZE);
    assert(fwrite(text, 0, 7, stderr) == 0);
}
//// Text that is written into memory is exact, for every engine, and the memory has to be there.
//// check -m sc: safe
//// check -m sc -e events: safe
//// check -m sc -e rounds: safe
//// check -m sc -e states: safe
//// check -m sc -e events -DSIZE=40: unsafe out-of-bounds @writes
//// check -m sc -e states -DSIZE=40: unsafe out-of-bounds @writes
//// check -m sc -e events -DWRONG: unsafe assertion name[7] == '4'
#include <stdio.h>
#ifndef SIZE
#define SIZE sizeof name
#endif
static int number = 357;
THREAD(names) {
    char name[12];
    int length = snprintf(name, SIZE, "worker-%d of %s", number, "all"); // @writes
    assert(length == 17);
    assert(name[0] == 'w' && name[6] == '-' && name[7] == '3' && name[10] == ' ' && name[11] == 0);
#ifdef WRONG
    assert(name[7] == '4');
#endif
    return 0;
}
int main(void) {
    finish(start(names));
}
//// So is the length of any number.
//// check -m sc -e events: safe
//// check -m sc -e events -DWRONG: unsafe assertion length < 13
#include <stdio.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    char name[16];
    int length = snprintf(name, sizeof name, "n=%d", __VERIFIER_nondet_int());
    assert(length >= 3 && length <= 13 && name[length] == 0);
#ifdef WRONG
    assert(length < 13);
#endif
}
//// Output by way of a list of arguments costs nothing where nobody asks how much was written: no engine follows the format.
//// check -e events: safe
//// check -e rounds -m tso: safe
//// check -e states: safe
//// check -e stateless: safe
//// check: safe
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
static int done;
static const char *const formats[] = {"%s\n", "%d\n"};
static void tell(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
}
static void *works(void *argument) {
    tell("%s: %5.2f of %*d, %.2s%%\n", (char *)argument, 0.5, 4, 7, "abc");
    vprintf("nothing\n", (va_list){0});
    printf(formats[done], (char *)argument);
    fprintf(stderr, formats[!done], 1);
    done = 1;
    warnx("%d", done);
    return 0;
}
int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, 0, works, "first"))
        err(1, "cannot create %s", "it");
    pthread_join(thread, 0);
    assert(done == 1);
}
//// The arguments of such an output are evaluated, and its length is known where somebody asks.
//// check: safe
#include <stdarg.h>
#include <stdio.h>
static int calls;
static const char *format(void) {
    calls++;
    return "%d-%s\n";
}
static int tell(int looks, ...) {
    va_list list;
    va_start(list, looks);
    int length = -1;
    if (looks)
        length = vprintf(format(), list);
    else
        vprintf(format(), list);
    va_end(list);
    return length;
}
int main(void) {
    assert(tell(1, 12, "ab") == 6);
    assert(tell(0, 12, "ab") == -1);
    assert(calls == 2);
}
//// Output reads the strings that it is given, also by way of a list.
//// check -DARGS="%s",freed: unsafe use-after-free
//// check -DARGS="%s",freed -DLIST: unsafe use-after-free
//// check -DARGS="%s",freed -DLIST -e events -m sc: unsafe use-after-free
//// check -DARGS="%d%%%*d%m%s",1,2,3,freed: unsafe use-after-free
//// check -DARGS="%d%%%*d%m%s",1,2,3,freed -DLIST: unsafe use-after-free
//// check -DARGS=(0?"%s":"a%s"),freed: unsafe use-after-free
//// check -DARGS="%s",(char*)0: unsafe null-pointer
//// check -DARGS="%s",(char*)0 -DLIST: unsafe null-pointer
//// check -DARGS="%p",(void*)freed: safe
//// check -DARGS="%p",(void*)freed -DLIST: safe
//// check -DARGS="%.*s",0,freed: safe
//// check -DARGS="%.*s",0,freed -DLIST: safe
//// check -DARGS="%s%%s",text: safe
//// check -DARGS="%s%%s",text -DLIST: safe
//// check -DARGS=text: safe
//// check -DARGS=freed: unsafe use-after-free
//// check -DARGS=freed -DLIST: unsafe use-after-free
#include <stdarg.h>
#include <stdio.h>
static void tell(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}
int main(void) {
    char text[] = "text";
    char *freed = malloc(4);
    freed[0] = 0;
    free(freed);
#ifdef LIST
    tell(ARGS);
#else
    printf(ARGS);
#endif
}
//// What an output writes into its arguments is not known.
//// check -m sc: unknown a conversion '%n' @here
//// check -m sc -DLIST: unknown a conversion '%n'
//// check -m sc -e events: unknown a conversion '%n'
//// check -m sc -e events -DLIST: unknown a conversion '%n'
#include <stdarg.h>
#include <stdio.h>
static void tell(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}
int main(void) {
    int count = 0;
#ifdef LIST
    tell("abc%n", &count);
#else
    printf("abc%n", &count); // @here
#endif
    assert(count == 0);
}
//// Without files, poll and select sleep. Waiting for files is not modelled.
//// check: safe
//// check -DFILES: unknown 'poll' that waits for something other than time
//// check -DFOREVER: unknown 'poll' that waits for something other than time
//// check -DSET: unknown 'select' that waits for something other than time
#include <poll.h>
#include <sys/select.h>
int main(void) {
    struct timeval second = { 1, 0 };
    struct pollfd input = { 0, POLLIN, 0 };
    fd_set set;
    FD_ZERO(&set);
    assert(poll(0, 0, 10) == 0);
    assert(select(0, 0, 0, 0, &second) == 0);
#ifdef FILES
    poll(&input, 1, 10);
#endif
#ifdef FOREVER
    poll(0, 0, -1);
#endif
#ifdef SET
    select(1, &set, 0, 0, &second);
#endif
}
