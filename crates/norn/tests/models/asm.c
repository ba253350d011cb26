//// Flags, parts of registers and of memory have their meaning.
//// check: safe
static int n = 1;
static _Bool dec_and_test(int *at) {
    _Bool zero;
    asm volatile("lock; decl %0" : "+m"(*at), "=@cce"(zero) : : "memory");
    return zero;
}
int main(void) {
    assert(dec_and_test(&n));
    assert(!dec_and_test(&n));
    n = 0x1ff;
    asm volatile("lock; incb %0" : "+m"(n));
    assert(n == 0x100);
}
//// An instruction with `lock` is one step, without it a load and a store.
//// check -DLOCK="lock;": safe
//// check -DLOCK="": unsafe assertion n == 2
static int n;
THREAD(counts) {
    asm volatile(LOCK "incl %0" : "+m"(n) : : "memory");
    return 0;
}
int main(void) {
    both(counts, counts);
    assert(n == 2);
}
//// try_cmpxchg, the way Linux writes it, in a loop.
//// check -e states: safe
static int n;
THREAD(counts) {
    _Bool done;
    int old = n;
    do {
        int new = old + 1;
        asm volatile("lock; cmpxchgl %[new], %[at]" : "=@ccz"(done), [at] "+m"(n), [old] "+a"(old) : [new] "r"(new) : "memory");
    } while (!done);
    return 0;
}
int main(void) {
    both(counts, counts);
    assert(n == 2);
}
//// A compare-exchange without `lock` that fails writes back what it found.
//// check -DLOCK="lock;": safe
//// check -DLOCK="": unsafe assertion n == 1
static int n;
THREAD(fails) {
    int old = 5;
    asm volatile(LOCK "cmpxchgl %2, %1" : "+a"(old), "+m"(n) : "r"(7) : "memory");
    return 0;
}
THREAD(writes) {
    n = 1;
    return 0;
}
int main(void) {
    both(fails, writes);
    assert(n == 1);
}
//// Whatever is not understood about a statement makes it unsupported.
//// check -DSTATEMENT=asm("incl\t%0":"+m"(n),"=@ccp"(flag)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0":"+m"(n),"=@ccc"(flag)): unknown inline assembly
//// check -DSTATEMENT=asm("":"=@ccz"(flag)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0":"+m"(n):"0"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("inc\t%0":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("incb\t%0":"+r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("incb\t%h0":"+Q"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("incq\t%0":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0":"+x"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0":"+m,r"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%%eax":::"eax"): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t$1,%%eax":::"ebx"): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t$1,%%eax":::"memory"): unknown inline assembly
//// check -DSTATEMENT=asm("movb\t$1,%%ah":::"eax"): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t%%eax,%0":"=r"(x)::"eax"): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t$1,%%eax"::"a"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("movq\t$1,%%rsp":::"rsp"): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0":"+m"(n)::"k0"): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0":"+m"(n)::"st"): unknown inline assembly
//// check -DSTATEMENT=asm("":"=r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("":"=m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0":"=m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0"::"m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("lock;incl\t%0":"+r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("rep;incl\t%0":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("f:incl\t%0":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("jmp\t1f":::"memory"): unknown inline assembly
//// check -DSTATEMENT=asm("call\tf":::"memory"): unknown inline assembly
//// check -DSTATEMENT=asm("1:decl\t%0;1:incl\t%0;je\t1f":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0;1:jne\t2f;2:":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("1:movl\t$0,%0;testl\t%1,%1;jne\t1b":"=r"(x):"r"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("testl\t%1,%1;jne\t1f;movl\t$1,%0;1:":"=m"(n):"r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("{incl\t%0|inc\t%0}":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t%1,%0;addl\t%2,%0":"=r"(x):"r"(n),"r"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("lock;cmpxchgl\t%2,%0":"+m"(n):"a"(0),"r"(1)): unknown inline assembly
//// check -DSTATEMENT=asm("sete\t%0":"=q"(flag)): unknown inline assembly
//// check -DSTATEMENT=asm("lock;incl\t%0;adcl\t$0,%1":"+m"(n),"+r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("rdtsc":"=a"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("rdtsc":"=a"(x):"d"(1)): unknown inline assembly
//// check -DSTATEMENT=asm("cpuid":"+a"(x)::"ebx","ecx"): unknown inline assembly
//// check -DSTATEMENT=asm("lock;cmpxchg8b\t%0":"+m"(n),"+a"(x),"+d"(x):"b"(1),"c"(1)): unknown inline assembly
//// check -DSTATEMENT=asm("lock;cmpxchg8b\t%0":"+m"(n),"+a"(x):"b"(1),"c"(1):"memory"): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t4(%0)"::"r"(&n)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t(%0,%1,4)"::"r"(&n),"r"(0L):"memory"): unknown inline assembly
//// check -DSTATEMENT=asm("stxr\t%w0,%w1,%2":"=&r"(x):"r"(1),"Q"(n):"memory"): unknown inline assembly
//// check -DSTATEMENT=asm("ldr\t%w0,[%1],#4":"=r"(x):"r"(&n):"memory"): unknown inline assembly
//// check -DSTATEMENT=asm("ldr\t%0,%1":"=r"(x):"Q"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("ldxp\t%0,%1,%2":"=r"(x),"=r"(x):"Q"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("xaddl\t%0,%1":"+m"(n),"+r"(x)): unknown inline assembly
static int n;
int main(void) {
    int x = 0;
    unsigned char flag = 0;
    STATEMENT;
    (void)x, (void)flag;
    assert(0);
}
//// What a compiler may decide one way or another, or has no room for, is unsupported.
//// check -DSTATEMENT=asm("movb\t$1,%0":"=m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("movb\t$1,%0":"=m"(n)::"memory"): safe
//// check -DSTATEMENT=asm("movb\t$1,%0":"+m"(n)): safe
//// check -DSTATEMENT=asm("cmpl\t$1,%1;sete\t%0":"=m"(n):"r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("cmpl\t$0,%1;lock;addl\t$0,0(%%rsp);sete\t%0":"=q"(flag):"r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("cmpl\t$0,%1;mfence;sete\t%0":"=q"(flag):"r"(x)): safe
//// check -DSTATEMENT=asm("movl\t$1,%0;movl\t$1,%1":"=rm"(n),"=m"(m)): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t$1,%0;movl\t$2,%0":"=rm"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t$1,%0;mfence":"=rm"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%1;mfence":"=rm"(n):"0"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t%1,%0;addl\t%2,%0":"=&r"(x):"g"(n),"m"(m)): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t$1,%0":"=rm"(n)): safe
//// check -DSTATEMENT=asm("lock;decl\t%0;sete\t%1":"+m"(n),"=qm"(flag)): safe
//// check -DSTATEMENT=asm("movl\t$1,%0;movl\t$1,%1":"=rm"(x),"=m"(m));p=&x: unknown may be in a register or in memory
//// check -DSTATEMENT=asm("movb\t$2,%0":"=m"(truth)): unknown '_Bool' neither 0 nor 1
//// check -DSTATEMENT=asm("movb\t$2,%0":"=q"(truth)): unknown '_Bool' neither 0 nor 1
//// check -DSTATEMENT=asm("movb\t$1,%0":"=m"(truth)): safe
//// check --32 -DSTATEMENT=asm("addq\t$1,%0":"+m"(wide)): unknown inline assembly
//// check --32 -DSTATEMENT=asm("mov\t%1,%0":"=m"(wide):"r"(wide)): unknown inline assembly
//// check -DSTATEMENT=asm("addq\t$1,%0":"+m"(wide)): safe
static int n, m, *p;
static long long wide;
static _Bool truth;
int main(void) {
    int x = 0;
    unsigned char flag = 0;
    STATEMENT;
    (void)x, (void)flag, (void)m, (void)p, (void)wide, (void)truth;
}
//// The time and what a processor says about itself are any numbers; `cpuid` is a full fence.
//// check -e events: safe
//// check -e events -DSAME: unsafe assertion low == again
static unsigned low, again, high, rest;
int main(void) {
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    asm volatile("rdtscp" : "=a"(again) : : "edx", "ecx");
    unsigned long all;
    asm volatile("rdtsc" : "=a"(all) : : "rdx");
    assert(all <= 0xffffffff);
    asm volatile("cpuid" : "+a"(high), "=b"(rest) : : "ecx", "edx");
#ifdef SAME
    assert(low == again);
#endif
}
//// Jumps out of a statement, and the values of its outputs there.
//// check: safe
//// check -DBAD: unsafe assertion n == 1
static int n = 2, seen;
static int down(void) {
    asm goto("lock; decl %0; je %l[zero]; js %l2" : : "m"(n) : "memory", "cc" : zero, below);
    return 1;
zero:
    return 0;
below:
    return -1;
}
int main(void) {
    assert(down() == 1);
#ifdef BAD
    down();
#endif
    assert(n == 1);
    assert(down() == 0 && down() == -1 && n == -1);
    asm goto("movl $5, %0; cmpl $0, %1; jl %l[less]; movl $6, %0" : "=&r"(seen) : "r"(n) : "cc" : less);
    assert(0);
less:
    assert(seen == 5);
}
//// A spin lock that loops in its assembly excludes others; without `lock` it does not. Its unlock is a plain store.
//// check -e states -m sc,tso -DLOCK="lock;": safe
//// check -e states -m pso -DLOCK="lock;": unsafe assertion count == 2
//// check -e states -DLOCK="": unsafe assertion count == 2
static int free_slots = 1, count;
THREAD(counts) {
    asm volatile("1: " LOCK " decl %0; jns 3f\n2: pause; cmpl $0, %0; jle 2b; jmp 1b\n3:" : "+m"(free_slots) : : "memory", "cc");
    int old = count;
    count = old + 1;
    asm volatile("movl $1, %0" : "=m"(free_slots) : : "memory");
    return 0;
}
int main(void) {
    both(counts, counts);
    assert(count == 2);
}
//// Two words are compared and exchanged in one step, pointers among them.
//// check -e states: safe
//// check -e states -DBAD: unsafe assertion top.tag == 3
struct node {
    struct node *next;
    int value;
};
static struct {
    struct node *at;
    unsigned long tag;
} top __attribute__((aligned(16)));
static struct node nodes[2];
static void push(struct node *node) {
    unsigned char done;
    struct node *at = top.at;
    unsigned long tag = top.tag;
    do {
        node->next = at;
        asm volatile("lock; cmpxchg16b %[top]; sete %[done]"
                     : [top] "+m"(top), [done] "=q"(done), "+a"(at), "+d"(tag)
                     : "b"(node), "c"(tag + 1) : "memory", "cc");
    } while (!done);
}
THREAD(first) {
    push(&nodes[0]);
    return 0;
}
THREAD(second) {
    push(&nodes[1]);
    return 0;
}
int main(void) {
    nodes[0].value = 1;
    nodes[1].value = 2;
    both(first, second);
    assert(top.at->value + top.at->next->value == 3 && !top.at->next->next && top.tag == 2);
#ifdef BAD
    assert(top.tag == 3);
#endif
}
//// Exclusive accesses of AArch64 in a loop are one step; apart, or without the pair, they are not.
//// check -e states -DADD=loop: safe
//// check -e states -DADD=large: safe
//// check -e states -DADD=once: safe
//// check -e states -DADD=plain: unsafe assertion n == 2
//// check -DADD=compare: unsafe assertion n == 2
static int n;
static void loop(void) {
    int value, failed;
    asm volatile("1: ldxr %w0, %2\n add %w0, %w0, #1\n stxr %w1, %w0, %2\n cbnz %w1, 1b" : "=&r"(value), "=&r"(failed), "+Q"(n));
}
static void large(void) {
    asm volatile("ldadd %w0, wzr, [%1]" : : "r"(1), "r"(&n) : "memory");
}
static void once(void) {
    int failed;
    do {
        int value;
        asm volatile("ldaxr %w0, [%2]; add %w0, %w0, %w3; stlxr %w1, %w0, [%2]" : "=&r"(value), "=&r"(failed) : "r"(&n), "r"(1) : "memory");
    } while (failed);
}
static void plain(void) {
    int value;
    asm volatile("ldr %w0, %1; add %w0, %w0, #1; str %w0, %1" : "=&r"(value), "+m"(n));
}
static void compare(void) {
    int old = 0;
    asm volatile("casal %w0, %w2, %1" : "+r"(old), "+Q"(n) : "r"(1) : "memory");
    assert(old == 0 || old == 1);
}
THREAD(counts) {
    ADD();
    return 0;
}
int main(void) {
    both(counts, counts);
    assert(n == 2);
}
//// What AArch64 orders: `stlr` the stores before it, `dmb ish` everything, `dmb ishst` stores, `dmb ishld` and `ldar` no store.
//// check -m sc -DSTORE="str" -DFENCE="": safe
//// check -m tso -DSTORE="str" -DFENCE="": safe
//// check -m pso -DSTORE="str" -DFENCE="": unsafe assertion
//// check -m pso -DSTORE="stlr" -DFENCE="": safe
//// check -m pso -DSTORE="str" -DFENCE="dmb\tishst;": safe
//// check -m pso -DSTORE="str" -DFENCE="dmb\tishld;": unsafe assertion
//// check -m tso,pso -DBUFFER -DSTORE="stlr" -DFENCE="": unsafe assertion
//// check -m tso,pso -DBUFFER -DSTORE="stlr" -DFENCE="dmb\tish;": safe
//// check -m tso,pso -DBUFFER -DSTORE="stlr" -DFENCE="dmb\tishst;": unsafe assertion
static int data, ready, a, b;
static int get(int *at) {
    int value;
    asm volatile("ldar %w0, [%1]" : "=r"(value) : "r"(at) : "memory");
    return value;
}
static void set(int *at) {
    asm volatile(STORE " %w1, %0" : "=Q"(*at) : "rZ"(1) : "memory");
}
#ifdef BUFFER
THREAD(writes) {
    set(&data);
    asm volatile(FENCE "ldr %w0, %1" : "=r"(a) : "Q"(ready) : "memory");
    return 0;
}
THREAD(reads) {
    set(&ready);
    asm volatile(FENCE "ldr %w0, %1" : "=r"(b) : "Q"(data) : "memory");
    return 0;
}
int main(void) {
    both(writes, reads);
    assert(a == 1 || b == 1);
}
#else
THREAD(writes) {
    data = 1;
    asm volatile(FENCE STORE " %w1, [%0]" : : "r"(&ready), "r"(1) : "memory");
    return 0;
}
THREAD(reads) {
    if (get(&ready))
        assert(get(&data) == 1);
    return 0;
}
int main(void) {
    both(writes, reads);
}
#endif
//// Instructions of AArch64 compute, branch and tell whether they failed.
//// check -e events: safe
static long wide = 5;
static unsigned char byte = 0xff;
static int failed_once(int *at) {
    int old, failed;
    asm volatile("ldxr %w0, [%2]\n stxr %w1, %w3, [%2]" : "=&r"(old), "=&r"(failed) : "r"(at), "r"(7) : "memory");
    return failed;
}
int main(void) {
    long x = 3, old;
    int status, n = 4;
    asm("add %x0, %x0, %x1; eor %x0, %x0, #1; sub %x0, %x0, #2" : "+r"(x) : "r"(10L));
    assert(x == 10);
    asm("cmp %w1, %w2; b.lo 1f; mov %w0, #8; b 2f; 1: mov %w0, #9; 2:" : "=&r"(status) : "r"(3), "r"(4) : "cc");
    assert(status == 9);
    asm("cmp %w1, %w2; cset %w0, gt" : "=r"(status) : "r"(-3), "r"(4) : "cc");
    assert(status == 0);
    asm volatile("1: ldaxr %x0, %2; cmp %x0, %x3; b.ne 2f; stlxr %w1, %x4, %2; cbnz %w1, 1b; 2:" : "=&r"(old), "=&r"(status), "+Q"(wide) : "r"(5L), "r"(6L) : "cc", "memory");
    assert(old == 5 && wide == 6);
    asm volatile("swpal %x0, %x0, [%1]; ldsetb %w2, wzr, [%3]; ldclrb %w2, wzr, [%3]" : "+&r"(x) : "r"(&wide), "r"(0), "r"(&byte) : "memory");
    assert(x == 6 && wide == 10);
    unsigned before = 0x0f;
    asm volatile("ldclrb %w0, %w0, [%1]" : "+r"(before) : "r"(&byte) : "memory");
    assert(before == 0xff && byte == 0xf0);
    n = 4;
    int failed = failed_once(&n);
    assert(failed ? n == 4 : n == 7);
}
//// A constant is printed with the sign that the width of its type gives it.
//// check: safe
static int n = 300;
int main(void) {
    asm volatile("lock; addl %1, %0" : "+m"(n) : "ir"((unsigned char)200) : "memory");
    assert(n == 244);
    asm volatile("lock; addl %1, %0" : "+m"(n) : "ir"((unsigned short)0xfffe) : "memory");
    assert(n == 242);
    asm volatile("lock; addl %1, %0" : "+m"(n) : "ir"((unsigned char)100) : "memory");
    assert(n == 342);
}
//// Stores are relaxed, also where the compiler moves nothing over them: C's own rules find no release in this unlock.
//// check --data-race: unsafe data-race
//// check -m sc,tso: safe
//// check -m pso: unsafe assertion n == 2
static int locked, n;
THREAD(counts) {
    int taken;
    do {
        taken = 1;
        asm volatile("xchgl %0, %1" : "+r"(taken), "+m"(locked) : : "memory");
    } while (taken);
    n++;
    asm volatile("movl $0, %0" : "=m"(locked) : : "memory");
    return 0;
}
int main(void) {
    both(counts, counts);
    assert(n == 2);
}
//// Assembly outside of functions may define or change anything.
//// check -DTEXT="n:.long\t1": unknown assembly outside of functions
//// check -DTEXT=".symver\tn,n@first": safe
asm(TEXT);
int main(void) {
}
//// An output may be a cast to a type of the same size, which changes nothing.
//// check: safe
//// check -e events -m sc: safe
int main(void) {
    unsigned long x = 1;
    unsigned char c = 0;
    void *p = 0;
    asm volatile("movq $5, %0" : "=r"((unsigned long long)x));
    assert(x == 5);
    asm volatile("addq $1, %0" : "+r"((long)(unsigned long long)x));
    assert(x == 6);
    asm volatile("movq $7, %0" : "=r"((unsigned long)p));
    assert((unsigned long)p == 7);
    asm volatile("movb $2, %0" : "=q"((signed char)c));
    assert(c == 2);
}
