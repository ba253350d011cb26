/* Inline assembly of x86: widths, parts of registers, flags, tied operands. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static uint32_t word;
static uint64_t wide;
static struct { int other, counter; } pair;

static void widths(void) {
    word = 0x010203ff;
    asm volatile("lock; incb %0" : "+m"(word) : : "memory", "cc");
    printf("incb %x\n", word);
    asm volatile("lock; incw %0" : "+m"(word) : : "memory", "cc");
    printf("incw %x\n", word);
    word = 0x0102ffff;
    asm volatile("incw %0" : "+m"(word));
    printf("incw %x\n", word);
    asm volatile("lock; subl %1, %0" : "+m"(word) : "ir"(3));
    printf("subl %x\n", word);
    asm volatile("movb $7, %0" : "+m"(word));
    printf("movb %x\n", word);
    wide = 0x1122334455667788;
    asm volatile("lock; xorl $-1, %0" : "+m"(wide));
    printf("xorl %llx\n", (unsigned long long)wide);
    asm volatile("lock; addq $-2, %0" : "+m"(wide));
    printf("addq %llx\n", (unsigned long long)wide);
    uint16_t half = 0xabcd;
    asm volatile("xchgw %0, %1" : "+r"(half), "+m"(wide));
    printf("xchgw %x %llx\n", half, (unsigned long long)wide);
    uint64_t whole = 0x9999999999999999;
    asm volatile("xchgb %b0, %1" : "+q"(whole), "+m"(wide));
    printf("xchgb %llx %llx\n", (unsigned long long)whole, (unsigned long long)wide);
    pair.counter = 41;
    asm volatile("lock incl %0" : "+m"(pair.counter));
    printf("member %d %d\n", pair.other, pair.counter);
    asm volatile("lock; notl %0" : "+m"(pair.counter));
    printf("notl %d\n", pair.counter);
    asm volatile("negl %0" : "+m"(pair.counter));
    printf("negl %d\n", pair.counter);
}

static bool try_cmpxchg(uint64_t *at, uint64_t *old, uint64_t new) {
    bool done;
    asm volatile("lock; cmpxchgq %[new], %[at]" : "=@ccz"(done), [at] "+m"(*at), [old] "+a"(*old) : [new] "r"(new) : "memory");
    return done;
}

static void compare_exchange(void) {
    uint64_t old = 5;
    wide = 5;
    int first = try_cmpxchg(&wide, &old, 6);
    printf("cas %d %d %d\n", first, (int)wide, (int)old);
    int second = try_cmpxchg(&wide, &old, 7);
    printf("cas %d %d %d\n", second, (int)wide, (int)old);
    unsigned char done, low = 6;
    wide = 0x1106;
    asm volatile("lock; cmpxchgb %3, %1; sete %0" : "=q"(done), "+m"(wide), "+a"(low) : "q"((unsigned char)9) : "memory");
    printf("cmpxchgb %d %x %d\n", done, (int)wide, low);
    asm volatile("cmpxchgb %3, %1; setne %0" : "=q"(done), "+m"(wide), "+a"(low) : "q"((unsigned char)8) : "memory");
    printf("cmpxchgb %d %x %d\n", done, (int)wide, low);
    int before = 100, result;
    word = 3;
    asm volatile("cmpxchgl %2, %1" : "=a"(result), "+m"(word) : "r"(before), "0"(3));
    printf("cmpxchgl %d %d\n", result, word);
}

#define TEST(name, op, cc, start, operand) \
    do { \
        int flag; \
        word = start; \
        asm volatile("lock; " op " %2, %0" : "+m"(word), "=@cc" cc(flag) : "ir"(operand)); \
        printf(name " %x %d\n", word, flag); \
    } while (0)

#define COMPARE(cc) \
    do { \
        for (int i = 0; i < 5; i++) { \
            bool flag; \
            asm("cmpl %2, %1" : "=@cc" cc(flag) : "r"(values[i]), "ir"(-1)); \
            printf(cc " %d ", flag); \
        } \
        printf("\n"); \
    } while (0)

static void flags(void) {
    TEST("add c", "addl", "c", 0xffffffff, 1);
    TEST("add nc", "addl", "nc", 0x7fffffff, 1);
    TEST("add s", "addl", "s", 0x7fffffff, 1);
    TEST("add z", "addl", "z", 0xffffffff, 1);
    TEST("sub c", "subl", "c", 1, 2);
    TEST("sub ae", "subl", "ae", 2, 2);
    TEST("sub l", "subl", "l", 0x80000000, 1);
    TEST("sub ge", "subl", "ge", 5, 6);
    TEST("sub be", "subl", "be", 5, 5);
    TEST("sub a", "subl", "a", 5, 4);
    TEST("and nz", "andl", "nz", 6, 1);
    TEST("and c", "andl", "c", 6, 1);
    TEST("or s", "orl", "s", 0x80000000, 1);
    TEST("xor le", "xorl", "le", 1, 1);
    TEST("xor g", "xorl", "g", 0, 1);
    TEST("bts c", "btsl", "c", 4, 2);
    TEST("bts c", "btsl", "c", 4, 3);
    TEST("btr c", "btrl", "c", 4, 2);
    TEST("btc nc", "btcl", "nc", 4, 0);
    int values[] = {-2147483647, -2, -1, 0, 5};
    COMPARE("e"); COMPARE("ne"); COMPARE("s"); COMPARE("ns"); COMPARE("b"); COMPARE("nb"); COMPARE("na"); COMPARE("nbe");
    COMPARE("nge"); COMPARE("nl"); COMPARE("ng"); COMPARE("nle");
    word = 1;
    bool zero;
    asm volatile("lock; decl %0" : "+m"(word), "=@cce"(zero));
    printf("dec %d %d\n", word, zero);
    asm volatile("lock; decl %0" : "+m"(word), "=@ccs"(zero));
    printf("dec %x %d\n", word, zero);
    int carry;
    word = 8;
    asm volatile("lock; btsl %2, %1\n\tsbbl %0, %0" : "=r"(carry), "+m"(word) : "Ir"(3) : "memory");
    printf("sbb %d %x\n", carry, word);
    signed char byte = -1;
    bool negative;
    asm("testb %1, %1" : "=@ccs"(negative) : "q"(byte));
    printf("test %d\n", negative);
    long bits[3] = {0, 0, 0};
    bool was;
    asm volatile("lock; btsq %2, %0" : "+m"(bits[1]), "=@ccc"(was) : "r"(65L) : "memory");
    printf("row %ld %ld %ld %d\n", bits[0], bits[1], bits[2], was);
    asm volatile("btcq %2, %0" : "+m"(bits[1]), "=@ccc"(was) : "r"(-1L) : "memory");
    printf("row %d %ld %ld %d\n", bits[0] < 0, bits[1], bits[2], was);
}

static void registers(void) {
    unsigned r = 0x12345678, s = 5;
    asm("movb $1, %b0" : "+q"(r));
    printf("movb %x\n", r);
    asm("movw %w1, %w0" : "+r"(r) : "r"(s));
    printf("movw %x\n", r);
    asm("movl %1, %0\n\taddl %2, %0" : "=&r"(r) : "r"(s), "r"(s));
    printf("addl %d\n", r);
    asm("incl %0 # incl %0; incl %0\n\tincl %0" : "=r"(r) : "0"(s));
    printf("tied %d\n", r);
}

static void pointers(void) {
    static int a, b;
    static int *top = &a;
    int *p = &b;
    asm volatile("xchgq %0, %1" : "+r"(p), "+m"(top) : : "memory");
    printf("pointers %d %d\n", p == &a, top == &b);
    int *expected = &b;
    bool done;
    asm volatile("lock; cmpxchgq %3, %1" : "=@ccz"(done), "+m"(top), "+a"(expected) : "r"(&a) : "memory");
    printf("pointers %d %d\n", done, top == &a);
    asm volatile("lock; incl (%0)" : : "r"(top) : "memory");
    printf("through %d\n", a);
    int evaluated = 0, cells[2] = {0, 0};
    asm volatile("lock; incl %0" : "+m"(cells[evaluated++]));
    printf("once %d %d %d\n", evaluated, cells[0], cells[1]);
}

int main(void) {
    widths();
    compare_exchange();
    flags();
    registers();
    pointers();
    return 0;
}
