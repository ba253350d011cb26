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
//// check -DSTATEMENT=asm("incl\t%0":"+m"(n),"=@cco"(flag)): unknown inline assembly
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
//// check -DSTATEMENT=asm("incl\t%0":"+m"(n)::"k0"): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0":"+m"(n)::"st"): unknown inline assembly
//// check -DSTATEMENT=asm("":"=r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("":"=m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0":"=m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("incl\t%0"::"m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("lock;incl\t%0":"+r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("rep;incl\t%0":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("1:incl\t%0":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("{incl\t%0|inc\t%0}":"+m"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("movl\t%1,%0;addl\t%2,%0":"=r"(x):"r"(n),"r"(n)): unknown inline assembly
//// check -DSTATEMENT=asm("lock;cmpxchgl\t%2,%0":"+m"(n):"a"(0),"r"(1)): unknown inline assembly
//// check -DSTATEMENT=asm("sete\t%0":"=q"(flag)): unknown inline assembly
//// check -DSTATEMENT=asm("lock;incl\t%0;adcl\t$0,%1":"+m"(n),"+r"(x)): unknown inline assembly
//// check -DSTATEMENT=asm("rdtsc":"=a"(x)::"edx"): unknown inline assembly
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
//// check -DSTATEMENT=asm("movb\t$1,%0":"=m"(n)::"memory"): unknown inline assembly
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
