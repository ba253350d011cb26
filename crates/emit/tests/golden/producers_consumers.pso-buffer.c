/*
 * producers_consumers.c, sequentialized by Norn.
 *
 * A sequential program that does what a program with 5 threads can do, made by lazy sequentialization.
 * Memory model: PSO, by explicit store buffers.
 * Bounds: 2 rounds; loops followed 2 times per entry (those of the library 64);
 *   5 stores per store buffer.
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
#define SMA_STORES 5
#define SMA_UPDATES 12
#define SMA_STORE_BITS 3
#define THREAD_BITS 3

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

/* What a location holds: numbers are extended with their sign. */
typedef u64 sma_value;
#define sma_of_number(number) (number)
#define sma_number(value) (value)
#define sma_make_u8(x) sma_of_number((u64)(i64)(i8)(x))
#define sma_make_u16(x) sma_of_number((u64)(i64)(i16)(x))
#define sma_make_u32(x) sma_of_number((u64)(i64)(i32)(x))
#define sma_make_u64(x) sma_of_number((u64)(x))
#define sma_take_u32(value) ((u32)sma_number(value))

/*
 * PSO-SMA: memory, and the stores of each thread that have not reached it. A store waits for earlier ones of its thread
 * that share a byte with it or that a store-store fence separates from it.
 * Before each read and each fence any stores may reach memory. Before a write that makes no difference: it goes into its
 * own buffer, and nobody looks there.
 */
typedef struct {
    address where;
    sma_value value;
    unsigned kind;
    unsigned epoch;
} sma_store;

/* Kinds of accesses; the others are their sizes in bytes. */
#define SMA_POINTER 16
#define sma_kind_u8 1
#define sma_kind_u16 2
#define sma_kind_u32 4
#define sma_kind_u64 8
#define sma_kind_address SMA_POINTER
#define sma_bytes(kind) ((kind) == SMA_POINTER ? (unsigned)sizeof(address) : (kind))

/* Oldest first. */
static sma_store sma_buffer[THREADS][SMA_STORES];
static unsigned sma_count[THREADS];
static unsigned sma_epoch[THREADS];
static unsigned sma_pending;
static _Bool sma_in_section;

#define sma_init() ((void)0)
#define sma_addr(v) ((address)&(v))

static void sma_memory_write(address where, unsigned kind, sma_value value)
{
    switch (kind) {
    case 1: AT(u8, where) = (u8)sma_number(value); break;
    case 2: AT(u16, where) = (u16)sma_number(value); break;
    case 4: AT(u32, where) = (u32)sma_number(value); break;
    default: AT(u64, where) = sma_number(value); break;
    }
}

static sma_value sma_memory_read(address where, unsigned kind)
{
    switch (kind) {
    case 1: return sma_make_u8(AT(u8, where));
    case 2: return sma_make_u16(AT(u16, where));
    case 4: return sma_make_u32(AT(u32, where));
    default: return sma_make_u64(AT(u64, where));
    }
}

static _Bool sma_overlap(address a, unsigned a_bytes, address b, unsigned b_bytes)
{
    return (uptr)a < (uptr)b + b_bytes && (uptr)b < (uptr)a + a_bytes;
}

/* The i-th store of a thread reaches memory. */
static void sma_commit(unsigned t, unsigned i)
{
    unsigned j;
    sma_memory_write(sma_buffer[t][i].where, sma_buffer[t][i].kind, sma_buffer[t][i].value);
    for (j = 0; j + 1 < SMA_STORES; j++)
        if (j >= i && j + 1 < sma_count[t])
            sma_buffer[t][j] = sma_buffer[t][j + 1];
    sma_count[t]--;
    sma_pending--;
    if (sma_count[t] == 0)
        sma_epoch[t] = 0;
}

static _Bool sma_may_commit(unsigned t, unsigned i)
{
    sma_store *store = &sma_buffer[t][i];
    unsigned j;
    for (j = 0; j < SMA_STORES; j++) {
        sma_store *earlier = &sma_buffer[t][j];
        if (j < i && (earlier->epoch < store->epoch || sma_overlap(earlier->where, sma_bytes(earlier->kind), store->where,
                                                                   sma_bytes(store->kind))))
            return 0;
    }
    return 1;
}

/* Any stores reach memory, in any order that the model allows. */
static void sma_update(void)
{
    unsigned n;
    for (n = 0; n < SMA_UPDATES; n++) {
        unsigned t, i;
        if (sma_in_section || sma_pending == 0 || !choose(1, 0, 1))
            break;
        choose_where(THREAD_BITS, t, 0, THREADS - 1, sma_count[t] > 0);
        choose_where(SMA_STORE_BITS, i, 0, sma_count[t] - 1, sma_may_commit(t, i));
        sma_commit(t, i);
    }
}

/* All stores of a thread reach memory. */
static void sma_drain(unsigned t)
{
    unsigned n;
    sma_update();
    for (n = 0; n < SMA_STORES; n++)
        if (sma_count[t] > 0)
            sma_commit(t, 0);
}

static sma_value sma_buffered_read(address where, unsigned kind, unsigned t)
{
    unsigned i, newest = SMA_STORES;
    sma_store *store;
    for (i = 0; i < SMA_STORES; i++)
        if (i < sma_count[t] && sma_overlap(sma_buffer[t][i].where, sma_bytes(sma_buffer[t][i].kind), where, sma_bytes(kind)))
            newest = i;
    if (newest == SMA_STORES)
        return sma_memory_read(where, kind);
    store = &sma_buffer[t][newest];
    if (store->where == where && store->kind == kind)
        return store->value;
    /* It waits unless the newest store that overlaps it covers it. */
    assume((uptr)store->where <= (uptr)where && (uptr)where + sma_bytes(kind) <= (uptr)store->where + sma_bytes(store->kind));
    return sma_of_number(sma_number(store->value) >> 8 * ((uptr)where - (uptr)store->where));
}

static void sma_buffered_write(address where, unsigned kind, sma_value value, unsigned t)
{
    sma_store *store;
    if (sma_in_section) {
        sma_memory_write(where, kind, value);
        return;
    }
    store = &sma_buffer[t][sma_count[t]++];
    sma_pending++;
    store->where = where;
    store->kind = kind;
    store->value = value;
    store->epoch = sma_epoch[t];
}

#define sma_read_addr(T, a) (sma_update(), sma_take_##T(sma_buffered_read(a, sma_kind_##T, ct)))
#define sma_write_addr(T, a, x) sma_buffered_write(a, sma_kind_##T, sma_make_##T(x), ct)
#define sma_read(T, v) sma_read_addr(T, sma_addr(v))
#define sma_write(T, v, x) sma_write_addr(T, sma_addr(v), x)
#define sma_fence() sma_drain(ct)
#define sma_atomic_begin() (sma_drain(ct), sma_in_section = 1)
#define sma_atomic_end() (sma_in_section = 0)

#define create(t) (active[t] = 1)

/* Thread 0. */
static void main_0(void)
{
    u64 number, number_2, number_3, number_4;
#line 38 "producers_consumers.c"
    J(0, 1) x_of_0 = content(u32); y_of_0 = content(u32); p0_of_0 = content(u64); p1_of_0 = content(u64);
#line 38 "producers_consumers.c"
    c0_of_0 = content(u64); c1_of_0 = content(u64);
    x_of_0 = 1u; y_of_0 = 5u;
#line 41 "producers_consumers.c"
    m.owner = 0u; m.kind = 0u;
    sma_fence(); arg_1_0 = (address)&x_of_0; number = 1ull; create(1); p0_of_0 = number;
L1: J(1, 2) sma_fence(); arg_2_0 = (address)&y_of_0; number_2 = 2ull; create(2); p1_of_0 = number_2;
L2: J(2, 3) sma_fence(); number_3 = 3ull; create(3); c0_of_0 = number_3;
L3: J(3, 4) sma_fence(); number_4 = 4ull; create(4); c1_of_0 = number_4;
    G(4)
L4: return;
}

#line 299 "sequential.c"
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
    tmp = AT(u32, b);
L1: J(1, 2) sma_atomic_begin(); kind = m.kind;
#line 14 "producers_consumers.c"
    if (!(kind != (u32)-1)) fail("misuse: use of a destroyed mutex");
#line 14 "producers_consumers.c"
    if (!((0 <= (i32)kind) && ((i32)kind <= 3))) fail("misuse: use of a mutex that is not initialised");
#line 14 "producers_consumers.c"
    owner = m.owner; if (!(owner == 2u)) goto b9;
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
    m.owner = 2u; goto b21;
b17: G(2)
#line 14 "producers_consumers.c"
    r46 = m.count; m.count = r46 + 1u;
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
L13: J(13, 14) sma_atomic_begin(); kind_2 = m.kind;
#line 24 "producers_consumers.c"
    if (!(kind_2 != (u32)-1)) fail("misuse: use of a destroyed mutex");
#line 24 "producers_consumers.c"
    if (!((0 <= (i32)kind_2) && ((i32)kind_2 <= 3))) fail("misuse: use of a mutex that is not initialised");
#line 24 "producers_consumers.c"
    r56 = m.owner; mine = (u8)(r56 == 2u); if (mine != 0) goto b42;
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
    r83 = m.count; if (0u < r83) goto b49;
b48: G(14)
#line 24 "producers_consumers.c"
    m.owner = 0u; goto b52;
b49: G(14)
#line 24 "producers_consumers.c"
    r86 = m.count; m.count = r86 - 1u;
b52: G(14)
#line 24 "producers_consumers.c"
    sma_atomic_end();
    G(14)
L14: return;
}

#line 405 "sequential.c"
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
    tmp = AT(u32, b);
L1: J(1, 2) sma_atomic_begin(); kind = m.kind;
#line 14 "producers_consumers.c"
    if (!(kind != (u32)-1)) fail("misuse: use of a destroyed mutex");
#line 14 "producers_consumers.c"
    if (!((0 <= (i32)kind) && ((i32)kind <= 3))) fail("misuse: use of a mutex that is not initialised");
#line 14 "producers_consumers.c"
    owner = m.owner; if (!(owner == 3u)) goto b9;
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
    m.owner = 3u; goto b21;
b17: G(2)
#line 14 "producers_consumers.c"
    r46 = m.count; m.count = r46 + 1u;
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
L13: J(13, 14) sma_atomic_begin(); kind_2 = m.kind;
#line 24 "producers_consumers.c"
    if (!(kind_2 != (u32)-1)) fail("misuse: use of a destroyed mutex");
#line 24 "producers_consumers.c"
    if (!((0 <= (i32)kind_2) && ((i32)kind_2 <= 3))) fail("misuse: use of a mutex that is not initialised");
#line 24 "producers_consumers.c"
    r56 = m.owner; mine = (u8)(r56 == 3u); if (mine != 0) goto b42;
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
    r83 = m.count; if (0u < r83) goto b49;
b48: G(14)
#line 24 "producers_consumers.c"
    m.owner = 0u; goto b52;
b49: G(14)
#line 24 "producers_consumers.c"
    r86 = m.count; m.count = r86 - 1u;
b52: G(14)
#line 24 "producers_consumers.c"
    sma_atomic_end();
    G(14)
L14: return;
}

#line 511 "sequential.c"
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

#line 530 "sequential.c"
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

#line 549 "sequential.c"
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
