//// A large struct is copied with the bit-fields that share bytes with what stands before them.
//// check -DHOLDS: safe
//// check: unsafe assertion
struct large {
    char c;
    unsigned b : 24;
    int array[200];
};
static struct large x = {1, 5, {0}}, y;
int main(void) {
    y = x;
#ifdef HOLDS
    assert(y.b == 5 && y.c == 1);
#else
    assert(y.b == 0);
#endif
}
//// A large struct is cleared with such bit-fields too.
//// check: safe
struct large {
    char c;
    unsigned b : 24;
    int array[200];
};
static struct large x = {1, 5, {0}};
int main(void) {
    memset(&x, 0, sizeof x);
    assert(x.b == 0 && x.c == 0);
}
//// `memmove` of one object reads all of it before it writes, however large it is.
//// check -DCOUNT=3: safe
//// check -DCOUNT=200: safe
static int buffer[COUNT + 1];
struct object {
    int x[COUNT];
};
int main(void) {
    for (int i = 0; i <= COUNT; i++)
        buffer[i] = i;
    struct object *from = (struct object *)buffer, *to = (struct object *)(buffer + 1);
    memmove(to, from, sizeof *to);
    for (int i = 0; i < COUNT; i++)
        assert(buffer[i + 1] == i);
}
//// `memset` and `memcpy` of a whole object reach its padding, which has to be there.
//// check -DSIZE=5 -DSET: unsafe out-of-bounds @set
//// check -DSIZE=8 -DSET: safe
//// check -DSIZE=5 -DWRITE: unsafe out-of-bounds @write
//// check -DSIZE=8 -DWRITE: safe
//// check -DSIZE=5: unsafe out-of-bounds @read
struct object {
    int a;
    char c;
};
int main(void) {
    struct object *p = malloc(SIZE), q;
#ifdef SET
    memset(p, 0, sizeof *p); // @set
#else
    memset(&q, 0, sizeof q);
#ifdef WRITE
    memcpy(p, &q, sizeof *p); // @write
#else
    p->a = p->c = 1;
    memcpy(&q, p, sizeof q); // @read
#endif
#endif
}
//// `memset` and `memcpy` define padding.
//// check: safe
//// check -e events: safe
//// check -e states: safe
struct object {
    char a;
    int b;
    short c;
};
int main(void) {
    struct object s, t, u;
    memset(&s, 0, sizeof s);
    memset(&t, 0, sizeof t);
    assert(memcmp(&s, &t, sizeof s) == 0);
    memset(&t, 7, sizeof t);
    memcpy(&u, &t, sizeof u);
    assert(memcmp(&u, &t, sizeof u) == 0);
    assert(((char *)&u)[1] == 7 && ((char *)&u)[11] == 7);
}
//// A bit-field and a member beside it are different memory locations, wherever the bit-field ends.
//// check --data-race -DFIELD=b: safe
//// check --data-race -DFIELD=b -e events: safe
//// check --data-race -DFIELD=d: safe
//// check --data-race -DFIELD=e: unsafe data-race
struct object {
    char c;
    unsigned b : 24;
    int i;
    unsigned a : 17;
    unsigned char d;
    unsigned e : 3, f : 5;
};
static struct object s;
THREAD(writes) {
    s.FIELD = 1;
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writes, 0);
    s.c = 2;
    s.a = 3;
    s.f = 4;
    pthread_join(thread, 0);
    assert(s.FIELD == 1 && s.c == 2 && s.a == 3 && s.f == 4);
}
//// Bytes that are known stay known in a larger value that is read.
//// check -e events: safe
//// check -e events -DOTHER: unsafe assertion
//// check -e rounds: safe
int main(void) {
    union {
        unsigned char b[4];
        unsigned v;
    } u;
    u.b[0] = 1;
    u.b[2] = 3;
    unsigned v = u.v;
#ifdef OTHER
    assert((v & 0xff00) == 0);
#else
    assert((v & 0xff) == 1 && (v >> 16 & 0xff) == 3);
#endif
}
//// Bit-fields that were written are known, whatever stands beside them.
//// check -e events: safe
//// check -e events -DOTHER: unsafe assertion
struct object {
    char c;
    unsigned a : 6;
    unsigned b : 17;
};
int main(void) {
    struct object x;
    x.c = 1;
    x.b = 2;
#ifndef OTHER
    x.a = 5;
#endif
    assert(x.c == 1 && x.b == 2 && x.a == 5);
}
//// An object that is assigned has to be there as a whole, padding too, on both sides.
//// check -DSIZE=5 -DWRITE: unsafe out-of-bounds @write
//// check -DSIZE=8 -DWRITE: safe
//// check -DSIZE=5 -e events: unsafe out-of-bounds @read
//// check -DSIZE=8 -e events: safe
//// check -DSIZE=8 -e states: safe
struct object {
    int a;
    char c;
};
static struct object pass(struct object *p) {
    return *p; // @read
}
int main(void) {
    struct object *p = malloc(SIZE), q = {1, 2};
#ifdef WRITE
    *p = q; // @write
#else
    p->a = p->c = 1;
    q = pass(p);
#endif
    assert(q.c > 0);
}
//// Copies pass on what was never set, and what was set stays known.
//// check -e states: safe
//// check -e stateless: safe
//// check -e events: safe
//// check -e events -DUSED: unsafe assertion
//// check -e states -DUSED: unknown depends on a value that was never set @use
struct object {
    int a, b;
    char c;
};
static struct object shared;
int main(void) {
    struct object s, t;
    s.a = 1;
    s.c = 2;
    memcpy(&t, &s, sizeof s);
    shared = t;
    t = shared;
    assert(t.a == 1 && t.c == 2 && shared.c == 2);
#ifdef USED
    assert(t.b == 3); // @use
#endif
    shared.b = 4;
    assert(shared.b == 4);
}
//// Structs of one variable that overlap are copied as if by way of a third.
//// check: safe
int main(void) {
    struct three { int x[3]; };
    union { struct three first; struct { int before; struct three last; } second; } u = {{{1, 2, 3}}};
    u.second.last = u.first;
    assert(u.second.last.x[0] == 1 && u.second.last.x[1] == 2 && u.second.last.x[2] == 3);
}

//// Of the objects that a pointer may be to, the end of another one does not matter. (With 1 and 2 the index is 1.)
//// check: safe
//// check -e events: safe
//// check -e rounds --unwind 1: safe
//// check -DMASK=0: unsafe use-after-free @writes
//// check -e events -DMASK=0: unsafe use-after-free @writes
#include <stdlib.h>
#ifndef MASK
#define MASK 1
#endif
static int *cells[2];
static int which = 1;
THREAD(frees) {
    free(cells[0]);
    return 0;
}
THREAD(chooses) {
    which = 2;
    return 0;
}
int main(void) {
    cells[0] = malloc(sizeof(int));
    cells[1] = malloc(sizeof(int));
    start(frees);
    start(chooses);
    int w = which;
    *cells[(w * w - 3 * w + 4) / 2 * MASK] = 5; // @writes
}

//// A condition that is cut to a narrower type is true only if something is left of it.
//// check: safe
//// check -e events: safe
volatile int v = 256; volatile long w = 1L << 32;
int main(void) {
    if ((unsigned char)v) assert(0);
    if (!(char)v) {} else assert(0);
    assert((short)v && !(unsigned char)v);
    assert((int)w ? 0 : 1);
    while ((int)w) assert(0);
    assert(!((unsigned char)v || (int)w));
    assert((_Bool)v && (_Bool)w);
}

//// A load waits for a buffered store to a part of what it reads, and under TSO for the stores before that one.
//// check -m tso: safe
//// check -m tso -e events: safe
//// check -m tso -e rounds --unwind 1: safe
//// check -m pso: unsafe assertion
static union { unsigned short word; unsigned char byte[2]; } u;
static int x, seen; static volatile int flag;
THREAD(other) {
    flag = 1;
    atomic_thread_fence(memory_order_seq_cst);
    seen = x == 0;
    u.byte[1] = 0;
    return 0;
}
int main(void) {
    pthread_t thread = start(other);
    x = 1;
    u.byte[0] = 1;
    unsigned short w = u.word;
    int first = flag == 0;
    pthread_join(thread, 0);
    assert(!(first && seen));
    assert((w & 255) == 1);
}
