//// An access outside of an array.
//// check --memory-safety -DINDEX=3: unsafe out-of-bounds @access
//// check --memory-safety -DINDEX=-1: unsafe out-of-bounds @access
//// check --memory-safety -DINDEX=2: safe
static int array[3];
static int zero;
int main(void) {
    array[zero + INDEX] = 1; // @access
}
//// On the heap too, whether asked for or not; where only assertions matter, it is assumed not to happen.
//// check --memory-safety: unsafe out-of-bounds @access
//// check: unsafe out-of-bounds @access
//// check --only-assertions: safe
int main(void) {
    int *p = malloc(2 * sizeof *p);
    p[2] = 1; // @access
}
//// A null pointer.
//// check --memory-safety: unsafe null-pointer @access
static int *p;
int main(void) {
    *p = 1; // @access
}
//// Use after free.
//// check --memory-safety: unsafe use-after-free @access
int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
    *p = 2; // @access
}
//// Use after free by another thread.
//// check --memory-safety: unsafe use-after-free @access
//// check --memory-safety -DJOINED: safe
static int *p;
THREAD(uses) {
    *p = 2; // @access
    return 0;
}
int main(void) {
    p = malloc(sizeof *p);
    pthread_t thread = start(uses);
#ifdef JOINED
    finish(thread);
#endif
    free(p);
}
//// A double free, in one thread or in two.
//// check --memory-safety: unsafe double-free
//// check --memory-safety -DONE: unsafe double-free @again
static int *p;
THREAD(frees) {
    free(p);
#ifdef ONE
    free(p); // @again
#endif
    return 0;
}
int main(void) {
    p = malloc(sizeof *p);
#ifdef ONE
    finish(start(frees));
#else
    both(frees, frees);
#endif
}
//// A free of what was not allocated.
//// check --memory-safety: unsafe bad-free @frees
//// check --memory-safety -DINNER: unsafe bad-free @inner
static int x;
int main(void) {
#ifdef INNER
    char *p = malloc(4);
    free(p + 1); // @inner
#endif
    free(&x); // @frees
}
//// A free of null is fine.
//// check --memory-safety: safe
int main(void) {
    free(0);
}
//// Use of a local object after the end of its scope, also by another thread after its function has ended.
//// check --memory-safety: unsafe use-after-free the life of 'inner' has ended @access
//// check --memory-safety -DTHREADS: unsafe use-after-free the life of 'local' has ended @uses
static int *p;
THREAD(uses) {
    *p = 1; // @uses
    return 0;
}
static pthread_t leaves(void) {
    int local = 0;
    p = &local;
    return start(uses);
}
int main(void) {
#ifdef THREADS
    finish(leaves());
#else
    {
        int inner = 0;
        p = &inner;
    }
    *p = 1; // @access
#endif
}
//// main's objects live on while other threads run, whichever way main ends.
//// check --memory-safety: safe
//// check --memory-safety -DRETURNS: safe
//// check --memory-safety -DEXITS: safe
//// check --memory-safety -DINNER: unsafe use-after-free the life of 'local' has ended
static void *uses(void *argument) {
    *(int *)argument = 1;
    return 0;
}
int main(void) {
    pthread_t thread;
#ifdef INNER
    {
        int local = 0;
        pthread_create(&thread, 0, uses, &local);
    }
#else
    int local = 0;
    pthread_create(&thread, 0, uses, &local);
#endif
#ifdef RETURNS
    return 0;
#endif
#ifdef EXITS
    pthread_exit(0);
#endif
}
//// So they do if main has arguments; but those of a main that main calls end with the call.
//// check --memory-safety -m sc: safe
//// check --memory-safety -m sc -DAGAIN: unsafe use-after-free the life of 'local' has ended
static void *uses(void *argument) {
    *(int *)argument = 1;
    return 0;
}
static int depth;
int main(int argc, char **argv) {
    pthread_t thread;
    int local = 0;
#ifdef AGAIN
    if (depth++ == 0)
        return main(1, 0);
#endif
    pthread_create(&thread, 0, uses, &local);
}
//// realloc keeps the content and ends the old block.
//// check --memory-safety: safe
//// check --memory-safety -DOLD: unsafe use-after-free @old
int main(void) {
    int *p = malloc(sizeof *p);
    p[0] = 5;
    int *q = realloc(p, 2 * sizeof *q);
    assert(q[0] == 5);
    q[1] = 6;
#ifdef OLD
    p[0] = 1; // @old
#endif
    free(q);
}
//// A library function that reads beyond a string is caught where it is called.
//// check --memory-safety: unsafe out-of-bounds @call
#include <string.h>
static char text[2] = { 'a', 'b' };
int main(void) {
    strlen(text); // @call
}
//// Signed overflow is checked with --overflow, and wraps without it; unsigned arithmetic always wraps.
//// check --overflow: unsafe overflow @adds
//// check: safe
//// check --overflow -DUNSIGNED: safe
static int x = INT_MAX;
static unsigned u = UINT_MAX;
int main(void) {
#ifdef UNSIGNED
    u++;
    assert(u == 0);
#else
    x++; // @adds
    assert(x == INT_MIN);
#endif
}
//// So are multiplication, negation and shifts beyond the width.
//// check --overflow -DWHAT=x*2: unsafe overflow @here
//// check --overflow -DWHAT=-x-1: safe
//// check --overflow -DWHAT=-(-x-1): unsafe overflow @here
//// check --overflow -DWHAT=1<<(x-INT_MAX+32): unsafe overflow @here
//// check --overflow -DWHAT=1<<(x-INT_MAX+30): safe
static int x = INT_MAX;
int main(void) {
    int y = (WHAT); // @here
}
//// Division by zero is always an error.
//// check: unsafe division-by-zero @divides
//// check -DOP=%: unsafe division-by-zero @divides
#ifndef OP
#define OP /
#endif
static int zero;
int main(void) {
    return 1 OP zero; // @divides
}
//// The smallest number divided by -1 is always an error, in every engine: x86 traps it.
//// check -e enumerate -m sc: unsafe division-overflow @divides
//// check -e enumerate -m sc -DOP=%: unsafe division-overflow @divides
//// check -e enumerate -m sc -DTYPE=long -DLEAST=LONG_MIN: unsafe division-overflow @divides
//// check -e enumerate -m sc -DTYPE=long -DLEAST=LONG_MIN -DOP=%: unsafe division-overflow @divides
//// check -e enumerate -m sc --overflow: unsafe overflow @divides
//// check -e enumerate -m sc -DLEAST=INT_MIN+1: safe
//// check -e enumerate -m sc -DMINUS=-2: safe
//// check -e enumerate -m sc -DMINUS=1 -DOP=%: safe
//// check -e states -m sc: unsafe division-overflow @divides
//// check -e states -m sc -DOP=%: unsafe division-overflow @divides
//// check -e states -m sc -DTYPE=long -DLEAST=LONG_MIN: unsafe division-overflow @divides
//// check -e states -m sc -DTYPE=long -DLEAST=LONG_MIN -DOP=%: unsafe division-overflow @divides
//// check -e states -m sc --overflow: unsafe overflow @divides
//// check -e states -m sc -DLEAST=INT_MIN+1: safe
//// check -e states -m sc -DMINUS=-2: safe
//// check -e states -m sc -DMINUS=1 -DOP=%: safe
//// check -e stateless -m sc: unsafe division-overflow @divides
//// check -e stateless -m sc -DOP=%: unsafe division-overflow @divides
//// check -e stateless -m sc -DTYPE=long -DLEAST=LONG_MIN: unsafe division-overflow @divides
//// check -e stateless -m sc -DTYPE=long -DLEAST=LONG_MIN -DOP=%: unsafe division-overflow @divides
//// check -e stateless -m sc --overflow: unsafe overflow @divides
//// check -e stateless -m sc -DLEAST=INT_MIN+1: safe
//// check -e stateless -m sc -DMINUS=-2: safe
//// check -e stateless -m sc -DMINUS=1 -DOP=%: safe
//// check -e events -m sc: unsafe division-overflow @divides
//// check -e events -m sc -DOP=%: unsafe division-overflow @divides
//// check -e events -m sc -DTYPE=long -DLEAST=LONG_MIN: unsafe division-overflow @divides
//// check -e events -m sc -DTYPE=long -DLEAST=LONG_MIN -DOP=%: unsafe division-overflow @divides
//// check -e events -m sc --overflow: unsafe overflow @divides
//// check -e events -m sc -DLEAST=INT_MIN+1: safe
//// check -e events -m sc -DMINUS=-2: safe
//// check -e events -m sc -DMINUS=1 -DOP=%: safe
//// check -e rounds -m sc: unsafe division-overflow @divides
//// check -e rounds -m sc -DOP=%: unsafe division-overflow @divides
//// check -e rounds -m sc -DTYPE=long -DLEAST=LONG_MIN: unsafe division-overflow @divides
//// check -e rounds -m sc -DTYPE=long -DLEAST=LONG_MIN -DOP=%: unsafe division-overflow @divides
//// check -e rounds -m sc --overflow: unsafe overflow @divides
//// check -e rounds -m sc -DLEAST=INT_MIN+1: safe
//// check -e rounds -m sc -DMINUS=-2: safe
//// check -e rounds -m sc -DMINUS=1 -DOP=%: safe
//// check -e sample -m sc: unsafe division-overflow @divides
//// check -e sample -m sc -DOP=%: unsafe division-overflow @divides
//// check -e sample -m sc -DTYPE=long -DLEAST=LONG_MIN: unsafe division-overflow @divides
//// check -e sample -m sc -DTYPE=long -DLEAST=LONG_MIN -DOP=%: unsafe division-overflow @divides
//// check -e sample -m sc --overflow: unsafe overflow @divides
#ifndef OP
#define OP /
#endif
#ifndef TYPE
#define TYPE int
#endif
#ifndef LEAST
#define LEAST INT_MIN
#endif
#ifndef MINUS
#define MINUS -1
#endif
static TYPE least = LEAST, minus = MINUS;
int main(void) {
    return (least OP minus) == 5; // @divides
}
//// It is found among all inputs, and unsigned numbers and narrow ones have no such quotient.
//// check -e events: unsafe division-overflow @divides
//// check -e rounds: unsafe division-overflow @divides
//// check -e events -DTYPE=unsigned: safe
//// check -e rounds -DTYPE=unsigned: safe
//// check -e events -DTYPE=short: safe
//// check -e rounds -DTYPE=short: safe
extern int nondet_int(void);
#ifndef TYPE
#define TYPE int
#endif
int main(void) {
    TYPE a = nondet_int(), b = nondet_int();
    if (b)
        return (a / b) == 5; // @divides
}
//// A race that makes a divisor zero is found.
//// check: unsafe division-by-zero @divides
static int divisor = 1;
THREAD(clears) {
    divisor = 0;
    return 0;
}
int main(void) {
    start(clears);
    return 1 / divisor; // @divides
}

//// What overflows between constants is no constant: it is a violation where it is executed, and only there.
//// check --overflow -DWHAT=2147483647+1: unsafe overflow @here
//// check --overflow -DWHAT=-2147483647-2: unsafe overflow @here
//// check --overflow -DWHAT=65536*32768: unsafe overflow @here
//// check --overflow -DWHAT=-(-2147483647-1): unsafe overflow @here
//// check --overflow -DWHAT=2147483646+1: safe
//// check --overflow -DWHAT=-2147483647-1: safe
//// check --overflow -DWHAT=32768*65535: safe
//// check --overflow -DWHAT=0?2147483647+1:1: safe
//// check -DWHAT=2147483647+1: safe
//// check -e events --overflow -DWHAT=2147483647+1: unsafe overflow @here
//// check -e states --overflow -DWHAT=2147483647+1: unsafe overflow @here
int main(void)
{
    volatile int result = WHAT; // @here
    return result == 0;
}

//// The end of an object's life waits neither for the own stores to it nor for those before them, as processors do not.
//// check -m sc: safe
//// check -m tso: unsafe assertion
//// check -m tso -e events: unsafe assertion
//// check -m tso -e rounds --unwind 1: unsafe assertion
//// check -m pso: unsafe assertion
static int x, y, seen;
static int *shared;
THREAD(other) {
    y = 1;
    atomic_thread_fence(memory_order_seq_cst);
    int value = x;
    seen = value == 0;
    if (value == 7)
        *shared = 2;
    return 0;
}
int main(void) {
    shared = malloc(sizeof(int));
    pthread_t thread = start(other);
    x = 1;
    *shared = 1;
    free(shared);
    int first = y == 0;
    pthread_join(thread, 0);
    assert(!(first && seen));
}

//// Memory runs out if that is asked for, in every function that allocates, under every engine.
//// check --malloc-may-fail -DGET=malloc(4): unsafe assertion p @got
//// check --malloc-may-fail -DGET=malloc(4) -e events: unsafe assertion p @got
//// check --malloc-may-fail -DGET=malloc(4) -e rounds: unsafe assertion p @got
//// check --malloc-may-fail -DGET=malloc(4) -e states: unsafe assertion p @got
//// check --malloc-may-fail -DGET=malloc(4) -e stateless: unsafe assertion p @got
//// check --malloc-may-fail -DGET=malloc(4) -e sample: unsafe assertion p @got
//// check --malloc-may-fail -DGET=calloc(2,2): unsafe assertion p @got
//// check --malloc-may-fail -DGET=realloc(0,4): unsafe assertion p @got
//// check --malloc-may-fail -DGET=aligned_alloc(16,16): unsafe assertion p @got
//// check --malloc-may-fail -DGET=strdup("abc"): unsafe assertion p @got
//// check --malloc-may-fail -DGET=(*get)(4): unsafe assertion p @got
//// check -DGET=malloc(4): safe
//// check -DGET=(*get)(4): safe
//// check -DGET=calloc(2,2): safe
static void *(*get)(size_t) = malloc;
int main(void) {
    char *p = GET;
    assert(p); // @got
    p[3] = 1;
    free(p);
}
//// Where memory runs out, errno says so, and what was there before stays.
//// check --malloc-may-fail: safe
//// check --malloc-may-fail -e events: safe
//// check --malloc-may-fail -DWRONG: unsafe null-pointer
int main(void) {
    int *p = malloc(sizeof(int)), *q;
    if (!p) {
        assert(errno == ENOMEM);
#ifdef WRONG
        *p = 1;
#endif
        return 0;
    }
    *p = 5;
    q = realloc(p, 2 * sizeof(int));
    if (!q) {
        assert(errno == ENOMEM && *p == 5);
        free(p);
        return 0;
    }
    assert(q[0] == 5);
    void *more = &more;
    int error = posix_memalign(&more, 64, 8);
    assert(error == 0 ? more != &more : error == ENOMEM && more == &more);
}
//// Memory begins where it was asked for, whatever else there is.
//// check -m sc: safe
//// check -m sc -e states: safe
//// check -m sc -e stateless: safe
//// check -m sc -e events: safe
//// check -m sc -e rounds --rounds 1: safe
//// check -m sc --32: safe
//// check -m sc -DPLAIN: unsafe assertion @aligned
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
static volatile size_t line = 64;
static int is_aligned(void *memory, size_t alignment) {
    return (uintptr_t)memory % alignment == 0;
}
int main(void) {
    char *first = malloc(1);
#ifdef PLAIN
    void *memory = malloc(100);
#else
    void *memory = aligned_alloc(128, 256);
#endif
    assert(is_aligned(memory, 128)); // @aligned
    void *other = first;
    assert(posix_memalign(&other, line, 10) == 0 && is_aligned(other, 64) && other != first);
    assert(is_aligned(memalign(48, 1), 64));
    assert(is_aligned(valloc(1), 4096));
    assert(is_aligned(mmap(0, 10, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0), 4096));
    assert(is_aligned(aligned_alloc(1 << 20, 8), 1 << 20));
}
//// No layout has more than huge pages.
//// check -m sc: unknown an alignment of more than 2 MiB
int main(void) {
    return aligned_alloc((size_t)1 << 22, 1) == 0;
}
//// A product that does not fit is no size: calloc and reallocarray give a null pointer.
//// check -m sc: safe
//// check -m sc -e events: safe
//// check -m sc --32: safe
static volatile size_t many = (size_t)-1 / 4 + 2, four = 4, none = 0;
int main(void) {
    assert(!calloc(many, 4) && errno == ENOMEM);
    errno = 0;
    assert(!calloc(4, many) && errno == ENOMEM);
    errno = 0;
    assert(!calloc(many, four) && errno == ENOMEM);
    assert(!reallocarray(0, many, four));
    char *p = calloc(four, four), *q = calloc(none, many), *r = calloc(many, none);
    assert(p && p[15] == 0 && q && r);
}
