/*
 * producers_consumers.c, sequentialized by Norn.
 *
 * A sequential program that does what a program with 5 threads can do, made by lazy sequentialization.
 * Memory model: sequential consistency.
 * Bounds: 2 rounds; loops followed 2 times per entry (those of the library 64).
 * Run it: cbmc --64 sequential.c
 *
 * Each thread is a function with labels before its visible statements. J(A, B) hops from label A to B if the
 * thread was left behind A in an earlier round or is to be left before it in this one; G(L) gives up guesses of
 * the next context switch that control has jumped over. Variables that outlast a round are static.
 */

#ifdef __GNUC__
/* Names of the program may be those of functions that the compiler knows. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned long uptr;
typedef long iptr;
typedef unsigned char *address;

#ifdef __GNUC__
#define SMA_ANY __attribute__((__may_alias__))
#else
#define SMA_ANY
#endif
typedef u8 SMA_ANY u8_any;
typedef u16 SMA_ANY u16_any;
typedef u32 SMA_ANY u32_any;
typedef u64 SMA_ANY u64_any;
typedef address SMA_ANY address_any;

/* The scalar at an address. */
#define AT(T, a) (*(T##_any *)(a))

/* The program was translated for pointers of 8 bytes. */
typedef char sma_pointer_size[sizeof(void *) == 8 ? 1 : -1];

_Bool nondet_bool(void);
u8 nondet_u8(void);
u16 nondet_u16(void);
u32 nondet_u32(void);
u64 nondet_u64(void);
#ifndef __CPROVER__
void __CPROVER_assume(_Bool condition);
void __CPROVER_assert(_Bool condition, const char *text);
#endif
#define nondet(T) nondet_##T()
#define assume(condition) __CPROVER_assume(condition)
#define fail(text) do { __CPROVER_assert(0, text); __CPROVER_assume(0); } while (0)
#define nondet_address() ((address)(uptr)nondet_u64())

/* The content of memory that nobody has written. */
#define content(T) nondet(T)

/* Any number from low to high, of so many bits: what is known to be 0 costs a verifier nothing. */
static unsigned choose(unsigned bits, unsigned low, unsigned high)
{
    unsigned number = nondet(u32) & ((1u << bits) - 1);
    assume(low <= number && number <= high);
    return number;
}
#define next_switch(bits, low, high) choose(bits, low, high)
/* Any such number for which the condition holds. */
#define choose_where(bits, number, low, high, condition) \
    do { \
        number = choose(bits, low, high); \
        assume(condition); \
    } while (0)

/* Reaching it is an error, so that no verifier calls it safe, but says nothing about the program. */
#define unsupported(text) fail("not supported: " text)

#define ROUNDS 2
#define THREADS 5

/* The objects of the program. */
struct v_norn_mutex {
    u32 owner;
    u32 count;
    u32 unused[2];
    u32 kind;
    u32 spare;
    address mention;
    u64 more;
};
static u32 x_of_0;
static u32 y_of_0;
static u64 p0_of_0;
static u64 p1_of_0;
static u64 c0_of_0;
static u64 c1_of_0;
static struct v_norn_mutex m;
static u32 c;

/* The threads: who was created, their last labels, where they were left, who runs, where it is to be left. */
static _Bool active[THREADS] = {1};
static const unsigned size[THREADS] = {4, 14, 14, 4, 4};
static unsigned pc[THREADS], ct, cs;
static address arg_1_0;
static address arg_2_0;
#define J(A, B) if (pc[ct] > A || A >= cs) goto L##B;
#define G(L) assume(cs >= L);

/*
 * The shared memory of sequential consistency: what is written is there for all.
 */
#define sma_init() ((void)0)
#define sma_read(T, v) (v)
#define sma_read_addr(T, a) AT(T, a)
#define sma_write(T, v, x) ((v) = (x))
#define sma_enter(T, v) ((v) = content(T))
#define sma_atomic_begin() ((void)0)
#define sma_atomic_end() ((void)0)

#define create(t) (active[t] = 1)

/* Thread 0. */
static void main_0(void)
{
    u64 number, number_2, number_3, number_4;
#line 38 "producers_consumers.c"
    J(0, 1) sma_enter(u32, x_of_0); sma_enter(u32, y_of_0); p0_of_0 = content(u64); p1_of_0 = content(u64);
#line 38 "producers_consumers.c"
    c0_of_0 = content(u64); c1_of_0 = content(u64);
    sma_write(u32, x_of_0, 1u); sma_write(u32, y_of_0, 5u);
#line 41 "producers_consumers.c"
    sma_write(u32, m.owner, 0u); sma_write(u32, m.kind, 0u);
    arg_1_0 = (address)&x_of_0; number = 1ull; create(1); p0_of_0 = number;
L1: J(1, 2) arg_2_0 = (address)&y_of_0; number_2 = 2ull; create(2); p1_of_0 = number_2;
L2: J(2, 3) number_3 = 3ull; create(3); c0_of_0 = number_3;
L3: J(3, 4) number_4 = 4ull; create(4); c1_of_0 = number_4;
    G(4)
L4: return;
}

#line 147 "sequential.c"
/* Thread 1. */
static void P_1(void)
{
    static u32 tmp, r8, r5;
    address b;
    u32 kind, owner, r46, r3, kind_2, r56, r83, r86;
    u8 r41, again, mine, r78;
    _Bool r16, r59;
#line 11 "producers_consumers.c"
    J(0, 1) b = arg_1_0;
#line 13 "producers_consumers.c"
    tmp = sma_read_addr(u32, b);
L1: J(1, 2) sma_atomic_begin(); kind = sma_read(u32, m.kind);
#line 14 "producers_consumers.c"
    if (!(kind != (u32)-1)) fail("misuse: use of a destroyed mutex");
#line 14 "producers_consumers.c"
    if (!((0 <= (i32)kind) && ((i32)kind <= 3))) fail("misuse: use of a mutex that is not initialised");
#line 14 "producers_consumers.c"
    owner = sma_read(u32, m.owner); if (!(owner == 2u)) goto b9;
#line 14 "producers_consumers.c"
    r41 = (u8)((kind == 1u) || (kind == 2u)); if (r41 != 0) goto b10;
b9: G(2)
#line 14 "producers_consumers.c"
    r16 = 0; goto b11;
b10: G(2)
#line 14 "producers_consumers.c"
    r16 = 1;
b11: G(2)
#line 14 "producers_consumers.c"
    again = (u8)r16; assume((owner == 0u) || (again != 0)); if ((again != 0) && (kind == 2u)) goto b21;
#line 14 "producers_consumers.c"
    if (owner != 0u) goto b17;
#line 14 "producers_consumers.c"
    sma_write(u32, m.owner, 2u); goto b21;
b17: G(2)
#line 14 "producers_consumers.c"
    r46 = sma_read(u32, m.count); sma_write(u32, m.count, r46 + 1u);
b21: G(2)
#line 14 "producers_consumers.c"
    sma_atomic_end();
L2: J(2, 3) r3 = sma_read(u32, c); if (0 < (i32)r3) goto b31;
#line 18 "producers_consumers.c"
L3: J(3, 4) sma_write(u32, c, 0u);
    if (!(0 < (i32)tmp)) goto b33;
L4: J(4, 5) r8 = sma_read(u32, c);
#line 20 "producers_consumers.c"
L5: J(5, 6) sma_write(u32, c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
    if (!(0 < (i32)tmp)) goto b33;
L6: J(6, 7) r8 = sma_read(u32, c);
#line 20 "producers_consumers.c"
L7: J(7, 8) sma_write(u32, c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
    if (!(0 < (i32)tmp)) goto b33;
L8: J(8, 9) r8 = sma_read(u32, c);
#line 20 "producers_consumers.c"
L9: J(9, 10) sma_write(u32, c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
L10: J(10, 11) assume(0); /* a bound is reached */
b31: G(11)
#line 16 "producers_consumers.c"
L11: J(11, 12) r5 = sma_read(u32, c);
#line 16 "producers_consumers.c"
L12: J(12, 13) sma_write(u32, c, r5 + 1u);
b33: G(13)
#line 24 "producers_consumers.c"
L13: J(13, 14) sma_atomic_begin(); kind_2 = sma_read(u32, m.kind);
#line 24 "producers_consumers.c"
    if (!(kind_2 != (u32)-1)) fail("misuse: use of a destroyed mutex");
#line 24 "producers_consumers.c"
    if (!((0 <= (i32)kind_2) && ((i32)kind_2 <= 3))) fail("misuse: use of a mutex that is not initialised");
#line 24 "producers_consumers.c"
    r56 = sma_read(u32, m.owner); mine = (u8)(r56 == 2u); if (mine != 0) goto b42;
#line 24 "producers_consumers.c"
    r78 = (u8)((kind_2 == 1u) || (kind_2 == 2u)); if (r78 != 0) goto b42;
#line 24 "producers_consumers.c"
    r59 = 0; goto b43;
b42: G(14)
#line 24 "producers_consumers.c"
    r59 = 1;
b43: G(14)
#line 24 "producers_consumers.c"
    if (!(r59)) fail("misuse: unlock of a mutex that the calling thread does not hold");
#line 24 "producers_consumers.c"
    if (!(mine != 0)) goto b52;
#line 24 "producers_consumers.c"
    if (!(kind_2 == 1u)) goto b48;
#line 24 "producers_consumers.c"
    r83 = sma_read(u32, m.count); if (0u < r83) goto b49;
b48: G(14)
#line 24 "producers_consumers.c"
    sma_write(u32, m.owner, 0u); goto b52;
b49: G(14)
#line 24 "producers_consumers.c"
    r86 = sma_read(u32, m.count); sma_write(u32, m.count, r86 - 1u);
b52: G(14)
#line 24 "producers_consumers.c"
    sma_atomic_end();
    G(14)
L14: return;
}

#line 253 "sequential.c"
/* Thread 2. */
static void P_2(void)
{
    static u32 tmp, r8, r5;
    address b;
    u32 kind, owner, r46, r3, kind_2, r56, r83, r86;
    u8 r41, again, mine, r78;
    _Bool r16, r59;
#line 11 "producers_consumers.c"
    J(0, 1) b = arg_2_0;
#line 13 "producers_consumers.c"
    tmp = sma_read_addr(u32, b);
L1: J(1, 2) sma_atomic_begin(); kind = sma_read(u32, m.kind);
#line 14 "producers_consumers.c"
    if (!(kind != (u32)-1)) fail("misuse: use of a destroyed mutex");
#line 14 "producers_consumers.c"
    if (!((0 <= (i32)kind) && ((i32)kind <= 3))) fail("misuse: use of a mutex that is not initialised");
#line 14 "producers_consumers.c"
    owner = sma_read(u32, m.owner); if (!(owner == 3u)) goto b9;
#line 14 "producers_consumers.c"
    r41 = (u8)((kind == 1u) || (kind == 2u)); if (r41 != 0) goto b10;
b9: G(2)
#line 14 "producers_consumers.c"
    r16 = 0; goto b11;
b10: G(2)
#line 14 "producers_consumers.c"
    r16 = 1;
b11: G(2)
#line 14 "producers_consumers.c"
    again = (u8)r16; assume((owner == 0u) || (again != 0)); if ((again != 0) && (kind == 2u)) goto b21;
#line 14 "producers_consumers.c"
    if (owner != 0u) goto b17;
#line 14 "producers_consumers.c"
    sma_write(u32, m.owner, 3u); goto b21;
b17: G(2)
#line 14 "producers_consumers.c"
    r46 = sma_read(u32, m.count); sma_write(u32, m.count, r46 + 1u);
b21: G(2)
#line 14 "producers_consumers.c"
    sma_atomic_end();
L2: J(2, 3) r3 = sma_read(u32, c); if (0 < (i32)r3) goto b31;
#line 18 "producers_consumers.c"
L3: J(3, 4) sma_write(u32, c, 0u);
    if (!(0 < (i32)tmp)) goto b33;
L4: J(4, 5) r8 = sma_read(u32, c);
#line 20 "producers_consumers.c"
L5: J(5, 6) sma_write(u32, c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
    if (!(0 < (i32)tmp)) goto b33;
L6: J(6, 7) r8 = sma_read(u32, c);
#line 20 "producers_consumers.c"
L7: J(7, 8) sma_write(u32, c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
    if (!(0 < (i32)tmp)) goto b33;
L8: J(8, 9) r8 = sma_read(u32, c);
#line 20 "producers_consumers.c"
L9: J(9, 10) sma_write(u32, c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
L10: J(10, 11) assume(0); /* a bound is reached */
b31: G(11)
#line 16 "producers_consumers.c"
L11: J(11, 12) r5 = sma_read(u32, c);
#line 16 "producers_consumers.c"
L12: J(12, 13) sma_write(u32, c, r5 + 1u);
b33: G(13)
#line 24 "producers_consumers.c"
L13: J(13, 14) sma_atomic_begin(); kind_2 = sma_read(u32, m.kind);
#line 24 "producers_consumers.c"
    if (!(kind_2 != (u32)-1)) fail("misuse: use of a destroyed mutex");
#line 24 "producers_consumers.c"
    if (!((0 <= (i32)kind_2) && ((i32)kind_2 <= 3))) fail("misuse: use of a mutex that is not initialised");
#line 24 "producers_consumers.c"
    r56 = sma_read(u32, m.owner); mine = (u8)(r56 == 3u); if (mine != 0) goto b42;
#line 24 "producers_consumers.c"
    r78 = (u8)((kind_2 == 1u) || (kind_2 == 2u)); if (r78 != 0) goto b42;
#line 24 "producers_consumers.c"
    r59 = 0; goto b43;
b42: G(14)
#line 24 "producers_consumers.c"
    r59 = 1;
b43: G(14)
#line 24 "producers_consumers.c"
    if (!(r59)) fail("misuse: unlock of a mutex that the calling thread does not hold");
#line 24 "producers_consumers.c"
    if (!(mine != 0)) goto b52;
#line 24 "producers_consumers.c"
    if (!(kind_2 == 1u)) goto b48;
#line 24 "producers_consumers.c"
    r83 = sma_read(u32, m.count); if (0u < r83) goto b49;
b48: G(14)
#line 24 "producers_consumers.c"
    sma_write(u32, m.owner, 0u); goto b52;
b49: G(14)
#line 24 "producers_consumers.c"
    r86 = sma_read(u32, m.count); sma_write(u32, m.count, r86 - 1u);
b52: G(14)
#line 24 "producers_consumers.c"
    sma_atomic_end();
    G(14)
L14: return;
}

#line 359 "sequential.c"
/* Thread 3. */
static void C_3(void)
{
    static u32 r3;
    u32 r1, r5;
#line 31 "producers_consumers.c"
    J(0, 1) r1 = sma_read(u32, c); assume(0 < (i32)r1);
L1: J(1, 2) r3 = sma_read(u32, c);
#line 32 "producers_consumers.c"
L2: J(2, 3) sma_write(u32, c, r3 - 1u);
L3: J(3, 4) r5 = sma_read(u32, c); if (0 <= (i32)r5) goto b2;
#line 33 "producers_consumers.c"
    fail("assertion failed: c >= 0"); assume(0);
b2: G(4)
    G(4)
L4: return;
}

#line 378 "sequential.c"
/* Thread 4. */
static void C_4(void)
{
    static u32 r3;
    u32 r1, r5;
#line 31 "producers_consumers.c"
    J(0, 1) r1 = sma_read(u32, c); assume(0 < (i32)r1);
L1: J(1, 2) r3 = sma_read(u32, c);
#line 32 "producers_consumers.c"
L2: J(2, 3) sma_write(u32, c, r3 - 1u);
L3: J(3, 4) r5 = sma_read(u32, c); if (0 <= (i32)r5) goto b2;
#line 33 "producers_consumers.c"
    fail("assertion failed: c >= 0"); assume(0);
b2: G(4)
    G(4)
L4: return;
}

#line 397 "sequential.c"
/* The driver: in each round each thread that was created has a slot; the first thread has one more at the end. */
int main(void)
{
    unsigned round;
    sma_init();
    for (round = 1; round <= ROUNDS; round++) {
        ct = 0;
        if (active[ct]) {
            cs = next_switch(3, pc[ct], size[ct]);
            main_0();
            pc[ct] = cs;
        }
        ct = 1;
        if (active[ct]) {
            cs = next_switch(4, pc[ct], size[ct]);
            P_1();
            pc[ct] = cs;
        }
        ct = 2;
        if (active[ct]) {
            cs = next_switch(4, pc[ct], size[ct]);
            P_2();
            pc[ct] = cs;
        }
        ct = 3;
        if (active[ct]) {
            cs = next_switch(3, pc[ct], size[ct]);
            C_3();
            pc[ct] = cs;
        }
        ct = 4;
        if (active[ct]) {
            cs = next_switch(3, pc[ct], size[ct]);
            C_4();
            pc[ct] = cs;
        }
    }
    ct = 0;
    if (active[ct]) {
        cs = next_switch(3, pc[ct], size[ct]);
        main_0();
        pc[ct] = cs;
    }
    return 0;
}
