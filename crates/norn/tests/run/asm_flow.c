/* Values and flags of inline assembly, on special and random operands. */
#include <stdio.h>

typedef unsigned long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

static u64 hash = 1469598103934665603ul;
static void mix(u64 x) { hash = (hash ^ x) * 1099511628211ul; }

static u64 state = 88172645463325252ul;
static u64 next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Every condition after an instruction on two registers. */
#define CONDITIONS(NAME, CODE, TYPE) \
    static void NAME(TYPE a, TYPE b) { \
        TYPE r; \
        u8 c; \
        r = a; asm(CODE : "+r"(r), "=@cco"(c) : "r"(b)); mix(c); mix(r); \
        r = a; asm(CODE : "+r"(r), "=@ccs"(c) : "r"(b)); mix(c); \
        r = a; asm(CODE : "+r"(r), "=@ccz"(c) : "r"(b)); mix(c); \
        r = a; asm(CODE : "+r"(r), "=@ccc"(c) : "r"(b)); mix(c); \
        r = a; asm(CODE : "+r"(r), "=@ccbe"(c) : "r"(b)); mix(c); \
        r = a; asm(CODE : "+r"(r), "=@ccl"(c) : "r"(b)); mix(c); \
        r = a; asm(CODE : "+r"(r), "=@ccle"(c) : "r"(b)); mix(c); \
        r = a; asm(CODE : "+r"(r), "=@ccno"(c) : "r"(b)); mix(c); \
        r = a; asm(CODE : "+r"(r), "=@ccg"(c) : "r"(b)); mix(c); \
        r = a; asm(CODE : "+r"(r), "=@ccge"(c) : "r"(b)); mix(c); \
        r = a; asm(CODE : "+r"(r), "=@cca"(c) : "r"(b)); mix(c); \
    }
CONDITIONS(add4, "addl %2, %0", u32)
CONDITIONS(sub4, "subl %2, %0", u32)
CONDITIONS(cmp4, "cmpl %2, %0", u32)
CONDITIONS(and4, "andl %2, %0", u32)
CONDITIONS(add1, "addb %b2, %b0", u8)
CONDITIONS(sub1, "subb %b2, %b0", u8)
CONDITIONS(xor2, "xorw %w2, %w0", u16)
CONDITIONS(add8, "addq %2, %0", u64)
CONDITIONS(sub8, "subq %2, %0", u64)
CONDITIONS(test8, "testq %2, %0", u64)

static void pairs(u64 a, u64 b, u64 c, u64 d) {
    u64 __attribute__((aligned(16))) two[2] = { a, b };
    u64 lo = a, hi = d & 1 ? b : c;
    u8 ok;
    asm volatile("lock; cmpxchg16b %1; setz %0" : "=q"(ok), "+m"(*(unsigned __int128 *)two), "+a"(lo), "+d"(hi) : "b"(c), "c"(d) : "memory", "cc");
    mix(ok); mix(two[0]); mix(two[1]); mix(lo); mix(hi);
    lo = d & 2 ? two[0] : b;
    hi = two[1];
    asm volatile("lock cmpxchg16b (%1)\n\tsete %0" : "=q"(ok), "+r"(*(u64 **)&(u64 *){ two }), "+a"(lo), "+d"(hi) : "b"(a), "c"(b) : "memory", "cc");
    mix(ok); mix(two[0]); mix(two[1]); mix(lo); mix(hi);
    u64 one = a;
    u32 l = (u32)a, h = (u32)(d & 4 ? a >> 32 : b);
    asm volatile("lock; cmpxchg8b %1; sete %0" : "=q"(ok), "+m"(one), "+a"(l), "+d"(h) : "b"((u32)c), "c"((u32)d) : "memory", "cc");
    mix(ok); mix(one); mix(l); mix(h);
}

static void parts(u64 a, u64 b) {
    u64 r = a;
    u32 s = (u32)b;
    asm("movl %k1, %k0" : "=r"(r) : "r"(b)); mix(r);
    r = a; asm("movzbl %b1, %k0" : "=r"(r) : "q"(b)); mix(r);
    asm("movsbq %b1, %0" : "=r"(r) : "q"(b)); mix(r);
    asm("movslq %1, %0" : "=r"(r) : "r"(s)); mix(r);
    asm("movzwl %w1, %0" : "=r"(s) : "m"(b)); mix(s);
    asm("xorl %0, %0; orl %1, %0" : "=&r"(s) : "r"((u32)a)); mix(s);
    r = a; asm("shlq $13, %0; shrq %b1, %0" : "+&r"(r) : "c"(b)); mix(r);
    s = (u32)a; asm("sarl %b1, %0" : "+r"(s) : "c"(b)); mix(s);
    u16 w = (u16)a; asm("shrw $3, %0; sal $1, %0" : "+r"(w)); mix(w);
    u8 y = (u8)a; asm("sarb %b1, %0" : "+q"(y) : "c"(b)); mix(y);
    r = a; asm("xchgq %1, %0" : "+r"(r), "+r"(b)); mix(r); mix(b);
    r = a; asm("movq %1, %%rax; addq %%rax, %0; movl %%eax, %%r8d; subq %%r8, %0" : "+&r"(r) : "r"(b) : "rax", "r8", "cc"); mix(r);
    struct { int a; u32 b, c; } m = { 1, (u32)a, 3 };
    asm volatile("lock; addl %1, 4(%0); incl 8(%0)" : : "r"(&m), "r"((u32)b) : "memory"); mix(m.b + m.c);
    struct big { u64 v[3]; } big = { { a, b, 7 } };
    asm volatile("lock; addq %1, %0" : "=m"(big) : "er"(2ul) : "memory"); mix(big.v[0] ^ big.v[1] ^ big.v[2]);
}

static void jumps(u32 a, u32 b) {
    u32 n = a & 15, sum = 0, r;
    /* A loop, a forward jump, and a name. */
    asm("1: testl %1, %1; jz 2f; addl %2, %0; decl %1; jmp 1b; 2:" : "+&r"(sum), "+&r"(n) : "r"(b) : "cc");
    mix(sum); mix(n);
    asm("cmpl %2, %1; movl %1, %0; jae .Lgreater%=; movl %2, %0; .Lgreater%=:" : "=&r"(r) : "r"(a), "r"(b) : "cc");
    mix(r);
    u32 old = a, got;
    u32 *at = &old;
    asm volatile("movl (%1), %%eax\n1: movl %%eax, %%ecx\n\taddl %2, %%ecx\n\tlock; cmpxchgl %%ecx, (%1)\n\tjne 1b\n\tmovl %%eax, %0"
                 : "=&r"(got) : "r"(at), "r"(b) : "eax", "ecx", "memory", "cc");
    mix(got); mix(old);
    asm goto("cmpl %1, %0; jl %l[less]; je %l3" : : "r"(a), "r"(b) : "cc" : less, same);
    mix(1);
    return;
less:
    mix(2);
    return;
same:
    mix(3);
}

static u32 down(u32 *n) {
    asm goto("lock; decl %0; js %l[below]" : : "m"(*n) : "memory", "cc" : below);
    return 0;
below:
    return 1;
}

int main(void) {
    static const u64 edges[] = { 0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
                                 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff };
    enum { count = sizeof edges / sizeof *edges };
    for (int i = 0; i < count + 60; i++)
        for (int j = 0; j < count; j++) {
            u64 a = i < count ? edges[i] : next(), b = edges[j], c = next();
            if (i >= count && (c & 1))
                b = next();
            add4(a, b); sub4(a, b); cmp4(a, b); and4(a, b); add1(a, b); sub1(a, b); xor2(a, b);
            add8(a, b); sub8(a, b); test8(a, b);
            pairs(a, b, c, c >> 7);
            parts(a, b);
            jumps(a, b);
        }
    printf("%016lx\n", hash);
    u32 n = 1, first = down(&n), second = down(&n);
    printf("%u %u %d\n", first, second, (int)n);
    u32 low, high, aux;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    u64 time = (u64)high << 32 | low;
    asm volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux));
    asm volatile("cpuid" : "=a"(low), "=b"(high), "=c"(aux) : "a"(0), "c"(0) : "edx");
    printf("%d\n", time + low + high + aux != 0 || 1);
    return 0;
}
