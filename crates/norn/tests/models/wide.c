//// An atomic access to 128 bits is one step, a plain one is two.
//// check -DSTORE=__atomic_store_n(&x,ones,__ATOMIC_SEQ_CST) -DLOAD=__atomic_load_n(&x,__ATOMIC_SEQ_CST): safe
//// check -DSTORE=__sync_bool_compare_and_swap(&x,0,ones) -DLOAD=__sync_val_compare_and_swap(&x,7,7): safe
//// check -DSTORE=__atomic_exchange_n(&x,ones,5) -DLOAD=__atomic_fetch_or(&x,0,5): safe
//// check -DSTORE=x=ones -DLOAD=x: unsafe assertion seen == 0
//// check -DSTORE=x=ones -DLOAD=__atomic_load_n(&x,5): unsafe assertion seen == 0
static unsigned __int128 x;
static const unsigned __int128 ones = ~(unsigned __int128)0;
THREAD(writes) {
    STORE;
    return 0;
}
THREAD(reads) {
    unsigned __int128 seen = LOAD;
    assert(seen == 0 || seen == ones);
    return 0;
}
int main(void) {
    both(writes, reads);
}
//// `_Atomic` objects of 128 bits are read, written and updated in one step each.
//// check: safe
//// check -DBAD: unsafe assertion n == 0
static _Atomic __int128 n = -2;
static __int128 swapped;
THREAD(counts) {
    n++;
    __int128 old = n;
    while (!atomic_compare_exchange_strong(&n, &old, old + ((__int128)1 << 64)))
        ;
    return 0;
}
int main(void) {
    both(counts, counts);
#ifndef BAD
    n -= (__int128)2 << 64;
#endif
    assert(n == 0);
    swapped = __atomic_exchange_n((__int128 *)&n, (__int128)3 << 70, 5);
    assert(swapped == 0 && __atomic_add_fetch((__int128 *)&n, -1, 5) == ((__int128)3 << 70) - 1);
    assert(__sync_fetch_and_nand((__int128 *)&n, 5) >> 70 == 2 && n == ~(__int128)5);
}
//// A pointer with a tag beside it, exchanged as one number of 128 bits, still points.
//// check -e states: safe
//// check -e states -DBAD: unsafe assertion first->value == 1
typedef struct node {
    struct node *next;
    int value;
} node;
typedef union {
    struct {
        node *at;
        unsigned long tag;
    };
    unsigned __int128 whole;
} tagged;
static tagged top;
static node nodes[] = { { 0, 1 }, { 0, 2 } };
static void push(node *n) {
    tagged old = top, new;
    do {
        old.tag = top.tag;
        old.at = top.at;
        n->next = old.at;
        new.at = n;
        new.tag = old.tag + 1;
    } while (!__sync_bool_compare_and_swap(&top.whole, old.whole, new.whole));
}
static node *pop(void) {
    tagged old, new;
    old.whole = __sync_val_compare_and_swap(&top.whole, 0, 0);
    do {
        if (!old.at)
            return 0;
        new.at = old.at->next;
        new.tag = old.tag + 1;
    } while (!__atomic_compare_exchange_n(&top.whole, &old.whole, new.whole, 0, 5, 5));
    return old.at;
}
THREAD(pushes) {
    push(&nodes[1]);
    return 0;
}
THREAD(pushes_first) {
    push(&nodes[0]);
    return 0;
}
int main(void) {
    both(pushes_first, pushes);
    node *first = pop(), *second = pop();
    assert(first && second && first->value + second->value == 3 && pop() == 0 && top.tag == 4);
#ifdef BAD
    assert(first->value == 1);
#endif
}
//// Signed overflow, shifts outside of the width and division by zero are found in 128 bits.
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=most+one: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=least-one: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=-least: unsafe overflow
//// check -e enumerate -m sc -DSTATEMENT=y=least/-one: unsafe division-overflow
//// check -e enumerate -m sc -DSTATEMENT=y=least%-one: unsafe division-overflow
//// check -e events -m sc -DSTATEMENT=y=least/-one: unsafe division-overflow
//// check -e enumerate -m sc -DSTATEMENT=y=(least+1)/-one: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=half*(half<<1): unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=half*(most>>62): unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=one<<127: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=-one<<1: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=one<<(one<<64): unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=one>>128: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=one>>-1: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=most++: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=most*=2: unsafe overflow
//// check -e enumerate -m sc -DSTATEMENT=y=one/(one-1): unsafe division-by-zero
//// check -e enumerate -m sc -DSTATEMENT=y=one%(one>>1): unsafe division-by-zero
//// check -e events -m sc --overflow -DSTATEMENT=y=half*(half<<1): unsafe overflow
//// check -e events -m sc -DSTATEMENT=y=one/(one-1): unsafe division-by-zero
//// check -e rounds -m sc -DSTATEMENT=y=one/(one-1): unsafe division-by-zero
//// check -e states -m sc --overflow -DSTATEMENT=y=most+one: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=most-one+one: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=-most-one: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=half*half+half: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=half*-(half<<1): safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=half*(most>>63): safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=(one<<126)*-2: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=one<<126: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=(unsigned__int128)most*3: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=most/-one-least%7: safe
typedef unsigned __int128 unsigned__int128;
static volatile __int128 one = 1;
static __int128 y, most = ~((__int128)1 << 126 << 1), least = -~((__int128)1 << 126 << 1) - 1;
static volatile __int128 half = (__int128)1 << 63 << 1 >> 1;
int main(void) {
    STATEMENT;
}
//// A store of a small struct that is not sequentially consistent waits in the buffer, as one.
//// check -m sc: safe
//// check -m tso,pso -DWHAT=1: unsafe assertion flag_seen == 1
//// check -DWHAT=2: safe
//// check -DORDER=5 -DWHAT=1: safe
//// check -m sc,tso -DWHAT=3: safe
//// check -m pso -DWHAT=3: unsafe assertion pair_seen.b == 2
//// check -m pso -DORDER=__ATOMIC_RELEASE -DWHAT=4: safe
//// check -m pso -DWHAT=4: unsafe assertion data_seen == 9
#ifndef ORDER
#define ORDER __ATOMIC_RELAXED
#define RELAXED
#endif
#ifndef WHAT
#define WHAT 1
#endif
struct pair {
    short a;
    char c;
    int b;
};
static struct pair pair, pair_seen;
static int flag, flag_seen, data, data_seen = 9;
THREAD(writes) {
    struct pair new = { 1, 7, 2 };
    __atomic_store_n(&data, 9, __ATOMIC_RELAXED);
    __atomic_store(&pair, &new, ORDER);
    if (WHAT == 1)
        flag_seen = __atomic_load_n(&flag, __ATOMIC_RELAXED);
    if (WHAT == 3)
        __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    return 0;
}
THREAD(reads) {
    if (WHAT == 1)
        __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
    int seen = __atomic_load_n(&flag, __ATOMIC_RELAXED);
    __atomic_load(&pair, &pair_seen, __ATOMIC_RELAXED);
    if (WHAT == 4 && pair_seen.a == 1)
        data_seen = __atomic_load_n(&data, __ATOMIC_RELAXED);
    if (WHAT == 3 && seen)
        assert(pair_seen.b == 2);
    return 0;
}
int main(void) {
    both(writes, reads);
    if (WHAT == 1)
        assert(flag_seen == 1 || pair_seen.a == 1);
    assert(pair_seen.a + pair_seen.b == 0 || (pair_seen.a == 1 && pair_seen.b == 2 && pair_seen.c == 7));
    assert(data_seen == 9);
}
//// Bit-fields of 128 bits, of any width, are not supported: neither are they read nor written.
//// check -DSTATEMENT=assert(fields.some==3): unknown a bit-field of '__int128' @statement
//// check -DSTATEMENT=fields.all=1: unknown a bit-field of '__int128' @statement
//// check -DSTATEMENT=fields.few++: unknown a bit-field of '__int128' @statement
//// check -DSTATEMENT=takes(fields.few): unknown a bit-field of '__int128' @statement
//// check -DSTATEMENT=MAKES: unknown a bit-field of '__int128' @statement
//// check -DSTATEMENT=x++: safe
struct s { __int128 few : 20, some : 100; unsigned __int128 all : 128; };
#define MAKES struct s made = {.few = x}
static struct s fields = {1, 3, 5};
static struct __attribute__((packed)) { unsigned few : 3; __int128 most : 126; } packed = {5, -7};
static int takes(__int128 number) {
    return number == 1;
}
int main(void) {
    int x = packed.few;
    STATEMENT; // @statement
}
