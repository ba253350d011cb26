//unit *
/*
//if tso
 * TSO-SMA: memory, and a store buffer per thread, first in, first out.
//end
//if pso
 * PSO-SMA: memory, and the stores of each thread that have not reached it. A store waits for earlier ones of its thread
 * that share a byte with it or that a store-store fence separates from it.
//end
//if short
 * At each access any stores may reach memory before.
//end
//if !short
 * Before each read and each fence any stores may reach memory. Before a write that makes no difference: it goes into its
 * own buffer, and nobody looks there.
//end
 */
typedef struct {
    address where;
    sma_value value;
    unsigned kind;
//if pso
    unsigned epoch;
//end
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
//if pso
static unsigned sma_epoch[THREADS];
//end
static unsigned sma_pending;
static _Bool sma_in_section;

//unit sma_init
#define sma_init() ((void)0)
//unit sma_addr
#define sma_addr(v) ((address)&(v))

//unit sma_memory_write
static void sma_memory_write(address where, unsigned kind, sma_value value)
{
    switch (kind) {
    case 1: AT(u8, where) = (u8)sma_number(value); break;
    case 2: AT(u16, where) = (u16)sma_number(value); break;
    case 4: AT(u32, where) = (u32)sma_number(value); break;
//if pointers
    case SMA_POINTER: AT(address, where) = sma_pointer(value); break;
//end
    default: AT(u64, where) = sma_number(value); break;
    }
}

//unit sma_memory_read
static sma_value sma_memory_read(address where, unsigned kind)
{
    switch (kind) {
    case 1: return sma_make_u8(AT(u8, where));
    case 2: return sma_make_u16(AT(u16, where));
    case 4: return sma_make_u32(AT(u32, where));
//if pointers
    case SMA_POINTER: return sma_of_pointer(AT(address, where));
//end
    default: return sma_make_u64(AT(u64, where));
    }
}

//unit sma_overlap
static _Bool sma_overlap(address a, unsigned a_bytes, address b, unsigned b_bytes)
{
    return (uptr)a < (uptr)b + b_bytes && (uptr)b < (uptr)a + a_bytes;
}

//unit sma_commit
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
//if pso
    if (sma_count[t] == 0)
        sma_epoch[t] = 0;
//end
}

//unit sma_may_commit
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

//unit sma_update
/* Any stores reach memory, in any order that the model allows. */
static void sma_update(void)
{
    unsigned n;
    for (n = 0; n < SMA_UPDATES; n++) {
        unsigned t, i;
        if (sma_in_section || sma_pending == 0 || !choose(1, 0, 1))
            break;
        choose_where(THREAD_BITS, t, 0, THREADS - 1, sma_count[t] > 0);
//if tso
        i = 0;
//end
//if pso
        choose_where(SMA_STORE_BITS, i, 0, sma_count[t] - 1, sma_may_commit(t, i));
//end
        sma_commit(t, i);
    }
}

//unit sma_drain
/* All stores of a thread reach memory. */
static void sma_drain(unsigned t)
{
    unsigned n;
    sma_update();
    for (n = 0; n < SMA_STORES; n++)
        if (sma_count[t] > 0)
            sma_commit(t, 0);
}

//unit sma_buffered_read
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

//unit sma_buffered_write
static void sma_buffered_write(address where, unsigned kind, sma_value value, unsigned t)
{
    sma_store *store;
    if (sma_in_section) {
        sma_memory_write(where, kind, value);
        return;
    }
//if short
    /* A full buffer is a bound. */
    sma_update();
    assume(sma_count[t] < SMA_STORES);
//end
    store = &sma_buffer[t][sma_count[t]++];
    sma_pending++;
    store->where = where;
    store->kind = kind;
    store->value = value;
//if pso
    store->epoch = sma_epoch[t];
//end
}

//unit sma_settled
/* No thread has a store to these bytes that has not reached memory. */
static void sma_settled(address where, unsigned bytes)
{
    unsigned t, i;
    sma_update();
    for (t = 0; t < THREADS; t++)
        for (i = 0; i < SMA_STORES; i++)
            if (i < sma_count[t])
                assume(!sma_overlap(sma_buffer[t][i].where, sma_bytes(sma_buffer[t][i].kind), where, bytes));
}

//unit *
//unit sma_read_addr
#define sma_read_addr(T, a) (sma_update(), sma_take_##T(sma_buffered_read(a, sma_kind_##T, ct)))
//unit sma_write_addr
#define sma_write_addr(T, a, x) sma_buffered_write(a, sma_kind_##T, sma_make_##T(x), ct)
//unit sma_read
#define sma_read(T, v) sma_read_addr(T, sma_addr(v))
//unit sma_read_own
/* What nobody else writes is the same before and after others' stores. */
#define sma_read_own(T, v) sma_take_##T(sma_buffered_read(sma_addr(v), sma_kind_##T, ct))
//unit sma_write
#define sma_write(T, v, x) sma_write_addr(T, sma_addr(v), x)
//unit sma_enter
#define sma_enter(T, v) (sma_settled(sma_addr(v), sizeof(T)), (v) = content(T))
//unit sma_fence
#define sma_fence() sma_drain(ct)
//if pso
//unit sma_fence_ss
#define sma_fence_ss() ((void)(sma_epoch[ct] += sma_count[ct] > 0))
//end
//unit sma_join
#define sma_join(t) sma_drain((unsigned)(t))
//unit sma_atomic_begin
#define sma_atomic_begin() (sma_drain(ct), sma_in_section = 1)
//unit sma_read_begin
#define sma_read_begin() (sma_update(), sma_in_section = 1)
//unit sma_atomic_end
#define sma_atomic_end() (sma_in_section = 0)
