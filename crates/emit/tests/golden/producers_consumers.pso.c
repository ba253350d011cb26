/*
 * producers_consumers.c, sequentialized by Norn.
 *
 * A sequential program that does what a program with 5 threads can do, made by lazy sequentialization.
 * Memory model: PSO, by temporal lists of writes.
 * Bounds: 2 rounds; loops followed 2 times per entry (those of the library 64);
 *   4 timestamps, 3 nodes per location.
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
#define SMA_TIMESTAMPS 4
#define SMA_CLOCK_BITS 2
#define SMA_NODES 3
#define SMA_NODE_BITS 2
#define SMA_LOCATIONS 1
#define SMA_LOCATION_BITS 0
enum {
    V_c,
};

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
#define sma_make_u32(x) sma_of_number((u64)(i64)(i32)(x))
#define sma_take_u32(value) ((u32)sma_number(value))

/*
 * ePSO-SMA: each location has a list of writes, ordered by the moment at which they reach memory.
 * Moments are the timestamps 0 to SMA_TIMESTAMPS-1; a write that is not later than the clock has reached memory. The list
 * is circular, with a sentinel (node SMA_NODES) whose timestamp is later than any. Memory holds the last write that is
 * not later than the clock; those before it are free nodes. When a write is made, the moment at which it will reach
 * memory is guessed: not before the clock, nor before earlier writes of its thread that it may not overtake.
 * In an atomic section the clock stands still, and writes reach memory at once.
 */
static unsigned sma_clock;
static address sma_address[SMA_LOCATIONS];
typedef sma_value sma_cell;
/* Nodes and sentinel. There is room for all numbers of so many bits, which makes it easy to say which one is meant. */
typedef struct {
    unsigned next[1 << SMA_NODE_BITS], prev[1 << SMA_NODE_BITS], tstamp[1 << SMA_NODE_BITS];
    sma_cell value[1 << SMA_NODE_BITS];
} sma_list;
static sma_list sma_lists[SMA_LOCATIONS];
static sma_cell sma_last_value[SMA_LOCATIONS][THREADS];
static unsigned sma_last_tstamp[SMA_LOCATIONS][THREADS];
static unsigned sma_max_tstamp[THREADS];
/* Later writes may not reach memory before this moment: a store-store fence. */
static unsigned sma_min_tstamp[THREADS];
static _Bool sma_in_section;

#define sma_pack(value) (value)
#define sma_unpack(cell) (cell)

/* A location has this value in memory, and no other. */
static void sma_reset(unsigned v, sma_value value)
{
    sma_list *list = &sma_lists[v];
    unsigned i;
    for (i = 0; i <= SMA_NODES; i++) {
        list->next[i] = i == SMA_NODES ? 0 : i + 1;
        list->prev[i] = i == 0 ? SMA_NODES : i - 1;
        list->tstamp[i] = i == SMA_NODES ? SMA_TIMESTAMPS : 0;
    }
    list->value[SMA_NODES - 1] = sma_pack(value);
}

static void sma_locate(unsigned v, address where, unsigned bytes, sma_value value)
{
    sma_address[v] = where;
    (void)bytes;
    sma_reset(v, value);
}

/* Time passes: writes reach memory. */
static void sma_clock_update(void)
{
    if (!sma_in_section)
        sma_clock = choose(SMA_CLOCK_BITS, sma_clock, SMA_TIMESTAMPS - 1);
}

static void sma_raise(unsigned tstamp)
{
    if (sma_clock < tstamp)
        sma_clock = tstamp;
}

/* The node whose value memory holds: the last one that is not later than the clock. */
static unsigned sma_in_memory(const sma_list *list)
{
    unsigned node;
    for (node = 0; node < SMA_NODES - 1; node++)
        if (list->tstamp[node] <= sma_clock && list->tstamp[list->next[node]] > sma_clock)
            break;
    return node;
}

static void sma_list_write(unsigned v, sma_value value, unsigned t)
{
    unsigned node, succ, pred, ts, low;
    sma_list list = sma_lists[v];
    sma_clock_update();
    /* Choose the moment at which the write reaches memory. */
    low = sma_clock;
    low = low < sma_last_tstamp[v][t] ? sma_last_tstamp[v][t] : low;
    low = low < sma_min_tstamp[t] ? sma_min_tstamp[t] : low;
    ts = sma_clock;
    if (!sma_in_section)
        ts = choose(SMA_CLOCK_BITS, low, SMA_TIMESTAMPS - 1);
    if (sma_in_section || SMA_TIMESTAMPS == 1) {
        /* It replaces the value in memory, and the list stays as it is. */
        node = sma_in_memory(&list);
        list.value[node] = sma_pack(value);
    } else {
        /* Take the first node out of the list. If it holds the value in memory, the write takes its place at once. */
        node = list.next[SMA_NODES];
        assume(ts == sma_clock || list.tstamp[list.next[node]] <= sma_clock);
        list.next[SMA_NODES] = list.next[node];
        list.prev[list.next[SMA_NODES]] = SMA_NODES;
        /* Put it before those that reach memory later. */
        for (succ = 0; succ < SMA_NODES; succ++)
            if (succ != node && list.tstamp[succ] > ts && (list.prev[succ] == SMA_NODES || list.tstamp[list.prev[succ]] <= ts))
                break;
        pred = list.prev[succ];
        list.value[node] = sma_pack(value);
        list.tstamp[node] = ts;
        list.next[node] = succ;
        list.prev[node] = pred;
        list.next[pred] = node;
        list.prev[succ] = node;
    }
    sma_lists[v] = list;
    sma_max_tstamp[t] = sma_max_tstamp[t] < ts ? ts : sma_max_tstamp[t];
    sma_last_tstamp[v][t] = ts;
    sma_last_value[v][t] = sma_pack(value);
}

static sma_value sma_list_read(unsigned v, unsigned t)
{
    sma_list list = sma_lists[v];
    sma_clock_update();
    /* The own last write, if it has not reached memory. */
    if (sma_last_tstamp[v][t] > sma_clock)
        return sma_unpack(sma_last_value[v][t]);
    return sma_unpack(list.value[sma_in_memory(&list)]);
}

#define sma_read(T, v) sma_take_##T(sma_list_read(v, ct))
#define sma_write(T, v, x) sma_list_write(v, sma_make_##T(x), ct)
#define sma_fence() (sma_clock_update(), sma_raise(sma_max_tstamp[ct]))
#define sma_atomic_begin() (sma_clock_update(), sma_raise(sma_max_tstamp[ct]), (void)(sma_in_section = 1))
#define sma_atomic_end() ((void)(sma_in_section = 0))

static void sma_init(void)
{
    sma_locate(V_c, (address)&c, 4, sma_make_u32(0u));
}

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

#line 284 "sequential.c"
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
L2: J(2, 3) r3 = sma_read(u32, V_c); if (0 < (i32)r3) goto b31;
#line 18 "producers_consumers.c"
L3: J(3, 4) sma_write(u32, V_c, 0u);
    if (!(0 < (i32)tmp)) goto b33;
L4: J(4, 5) r8 = sma_read(u32, V_c);
#line 20 "producers_consumers.c"
L5: J(5, 6) sma_write(u32, V_c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
    if (!(0 < (i32)tmp)) goto b33;
L6: J(6, 7) r8 = sma_read(u32, V_c);
#line 20 "producers_consumers.c"
L7: J(7, 8) sma_write(u32, V_c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
    if (!(0 < (i32)tmp)) goto b33;
L8: J(8, 9) r8 = sma_read(u32, V_c);
#line 20 "producers_consumers.c"
L9: J(9, 10) sma_write(u32, V_c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
L10: J(10, 11) assume(0); /* a bound is reached */
b31: G(11)
#line 16 "producers_consumers.c"
L11: J(11, 12) r5 = sma_read(u32, V_c);
#line 16 "producers_consumers.c"
L12: J(12, 13) sma_write(u32, V_c, r5 + 1u);
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

#line 390 "sequential.c"
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
L2: J(2, 3) r3 = sma_read(u32, V_c); if (0 < (i32)r3) goto b31;
#line 18 "producers_consumers.c"
L3: J(3, 4) sma_write(u32, V_c, 0u);
    if (!(0 < (i32)tmp)) goto b33;
L4: J(4, 5) r8 = sma_read(u32, V_c);
#line 20 "producers_consumers.c"
L5: J(5, 6) sma_write(u32, V_c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
    if (!(0 < (i32)tmp)) goto b33;
L6: J(6, 7) r8 = sma_read(u32, V_c);
#line 20 "producers_consumers.c"
L7: J(7, 8) sma_write(u32, V_c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
    if (!(0 < (i32)tmp)) goto b33;
L8: J(8, 9) r8 = sma_read(u32, V_c);
#line 20 "producers_consumers.c"
L9: J(9, 10) sma_write(u32, V_c, r8 + 1u);
    tmp = tmp - 1u;
#line 19 "producers_consumers.c"
L10: J(10, 11) assume(0); /* a bound is reached */
b31: G(11)
#line 16 "producers_consumers.c"
L11: J(11, 12) r5 = sma_read(u32, V_c);
#line 16 "producers_consumers.c"
L12: J(12, 13) sma_write(u32, V_c, r5 + 1u);
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

#line 496 "sequential.c"
/* Thread 3. */
static void C_3(void)
{
    static u32 r3;
    u32 r1, r5;
#line 31 "producers_consumers.c"
    J(0, 1) r1 = sma_read(u32, V_c); assume(0 < (i32)r1);
L1: J(1, 2) r3 = sma_read(u32, V_c);
#line 32 "producers_consumers.c"
L2: J(2, 3) sma_write(u32, V_c, r3 - 1u);
L3: J(3, 4) r5 = sma_read(u32, V_c); if (0 <= (i32)r5) goto b2;
#line 33 "producers_consumers.c"
    fail("assertion failed: c >= 0"); assume(0);
b2: G(4)
    G(4)
L4: return;
}

#line 515 "sequential.c"
/* Thread 4. */
static void C_4(void)
{
    static u32 r3;
    u32 r1, r5;
#line 31 "producers_consumers.c"
    J(0, 1) r1 = sma_read(u32, V_c); assume(0 < (i32)r1);
L1: J(1, 2) r3 = sma_read(u32, V_c);
#line 32 "producers_consumers.c"
L2: J(2, 3) sma_write(u32, V_c, r3 - 1u);
L3: J(3, 4) r5 = sma_read(u32, V_c); if (0 <= (i32)r5) goto b2;
#line 33 "producers_consumers.c"
    fail("assertion failed: c >= 0"); assume(0);
b2: G(4)
    G(4)
L4: return;
}

#line 534 "sequential.c"
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
