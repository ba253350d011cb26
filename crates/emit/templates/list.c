//unit *
/*
//if tso
 * eTSO-SMA: each location has a list of writes, ordered by the moment at which they reach memory.
//end
//if pso
 * ePSO-SMA: each location has a list of writes, ordered by the moment at which they reach memory.
//end
 * Moments are the timestamps 0 to SMA_TIMESTAMPS-1; a write that is not later than the clock has reached memory. The list
 * is circular, with a sentinel (node SMA_NODES) whose timestamp is later than any. Memory holds the last write that is
 * not later than the clock; those before it are free nodes. When a write is made, the moment at which it will reach
 * memory is guessed: not before the clock, nor before earlier writes of its thread that it may not overtake.
 * In an atomic section the clock stands still, and writes reach memory at once.
 */
static unsigned sma_clock;
//unit sma_address
static address sma_address[SMA_LOCATIONS];
//if mixed
//unit sma_size
static unsigned sma_size[SMA_LOCATIONS];
//end
//unit sma_cell
//if bits
typedef struct { i64 number : SMA_BITS; address pointer; } sma_cell;
//end
//if !bits
typedef sma_value sma_cell;
//end
//unit sma_list
/* Nodes and sentinel. There is room for all numbers of so many bits, which makes it easy to say which one is meant. */
typedef struct {
    unsigned next[1 << SMA_NODE_BITS], prev[1 << SMA_NODE_BITS], tstamp[1 << SMA_NODE_BITS];
    sma_cell value[1 << SMA_NODE_BITS];
} sma_list;
//unit sma_lists
static sma_list sma_lists[SMA_LOCATIONS];
//unit sma_last_value
static sma_cell sma_last_value[SMA_LOCATIONS][THREADS];
//unit sma_last_tstamp
static unsigned sma_last_tstamp[SMA_LOCATIONS][THREADS];
//unit sma_max_tstamp
static unsigned sma_max_tstamp[THREADS];
//if pso
//unit sma_min_tstamp
/* Later writes may not reach memory before this moment: a store-store fence. */
static unsigned sma_min_tstamp[THREADS];
//end
//unit *
static _Bool sma_in_section;

//if bits
//unit sma_pack
/* Numbers that do not fit are left out: a bound. */
static sma_cell sma_pack(sma_value value)
{
    sma_cell cell = {0, 0};
    cell.number = (i64)sma_number(value);
//if bits pointers
    cell.pointer = sma_pointer(value);
    assume(cell.pointer != (address)(uptr)sma_number(value) || (u64)(i64)cell.number == sma_number(value));
//end
//if bits !pointers
    assume((u64)(i64)cell.number == sma_number(value));
//end
//if bits
    return cell;
}
//unit sma_unpack
static sma_value sma_unpack(sma_cell cell)
{
//end
//if bits pointers
    sma_value value;
    value.number = (u64)(i64)cell.number;
    value.pointer = cell.pointer;
    return value;
//end
//if bits !pointers
    return (u64)(i64)cell.number;
//end
//if bits
}
//end
//unit *
//if !bits
//unit sma_pack
#define sma_pack(value) (value)
//unit sma_unpack
#define sma_unpack(cell) (cell)
//end

//unit sma_reset
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
//if own
    for (i = 0; i < THREADS; i++)
        sma_last_value[v][i] = sma_pack(value);
//end
}

//unit sma_locate
static void sma_locate(unsigned v, address where, unsigned bytes, sma_value value)
{
    sma_address[v] = where;
//if mixed
    sma_size[v] = bytes;
//end
//if !mixed
    (void)bytes;
//end
    sma_reset(v, value);
}

//unit sma_clock_update
/* Time passes: writes reach memory. */
static void sma_clock_update(void)
{
    if (!sma_in_section)
        sma_clock = choose(SMA_CLOCK_BITS, sma_clock, SMA_TIMESTAMPS - 1);
}

//unit sma_raise
static void sma_raise(unsigned tstamp)
{
    if (sma_clock < tstamp)
        sma_clock = tstamp;
}

//unit sma_in_memory
/* The node whose value memory holds: the last one that is not later than the clock. */
static unsigned sma_in_memory(const sma_list *list)
{
    unsigned node;
    for (node = 0; node < SMA_NODES - 1; node++)
        if (list->tstamp[node] <= sma_clock && list->tstamp[list->next[node]] > sma_clock)
            break;
    return node;
}

//unit sma_list_write
static void sma_list_write(unsigned v, sma_value value, unsigned t)
{
    unsigned node, succ, pred, ts, low;
    sma_list list = sma_lists[v];
    sma_clock_update();
    /* Choose the moment at which the write reaches memory. */
    low = sma_clock;
//if tso
    low = low < sma_max_tstamp[t] ? sma_max_tstamp[t] : low;
//end
//if pso
    low = low < sma_last_tstamp[v][t] ? sma_last_tstamp[v][t] : low;
    low = low < sma_min_tstamp[t] ? sma_min_tstamp[t] : low;
//end
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

//unit sma_list_read
static sma_value sma_list_read(unsigned v, unsigned t)
{
    sma_list list = sma_lists[v];
    sma_clock_update();
    /* The own last write, if it has not reached memory. */
    if (sma_last_tstamp[v][t] > sma_clock)
        return sma_unpack(sma_last_value[v][t]);
    return sma_unpack(list.value[sma_in_memory(&list)]);
}

//if mixed
//unit sma_is_at
/* Whether an access touches the location. */
static _Bool sma_is_at(unsigned v, address a, unsigned bytes)
{
    if ((uptr)a - (uptr)sma_address[v] >= sma_size[v])
        return 0;
    if (a != sma_address[v] || bytes != sma_size[v])
        unsupported("an access to a part of a location, or to several");
    return 1;
}

//end
//unit sma_location
//if !few
/* The location at an address. One that is not tracked is a bound. */
static unsigned sma_location(address a, unsigned bytes)
{
    unsigned v;
//end
//if !few mixed
    choose_where(SMA_LOCATION_BITS, v, 0, SMA_LOCATIONS - 1, sma_is_at(v, a, bytes));
//end
//if !few !mixed
    (void)bytes;
    choose_where(SMA_LOCATION_BITS, v, 0, SMA_LOCATIONS - 1, sma_address[v] == a);
//end
//if !few
    return v;
}
//end

//unit sma_renew
/* The scope of a variable begins: no write to it is under way, and its value is indeterminate. */
static void sma_renew(unsigned v, sma_value value)
{
    unsigned t;
    sma_clock_update();
    for (t = 0; t < THREADS; t++) {
        assume(sma_last_tstamp[v][t] <= sma_clock);
        sma_last_tstamp[v][t] = 0;
    }
    sma_reset(v, value);
}

//unit *
//unit sma_addr
#define sma_addr(v) (sma_address[v])
//unit sma_read
#define sma_read(T, v) sma_take_##T(sma_list_read(v, ct))
//unit sma_read_own
/* What nobody else writes is what this thread wrote last. */
#define sma_read_own(T, v) sma_take_##T(sma_unpack(sma_last_value[v][ct]))
//unit sma_write
#define sma_write(T, v, x) sma_list_write(v, sma_make_##T(x), ct)
//unit sma_read_addr
#define sma_read_addr(T, a) sma_take_##T(sma_list_read(sma_location(a, sizeof(T)), ct))
//unit sma_write_addr
#define sma_write_addr(T, a, x) sma_list_write(sma_location(a, sizeof(T)), sma_make_##T(x), ct)
//unit sma_enter
#define sma_enter(T, v) sma_renew(v, sma_make_##T(content(T)))
//unit sma_fence
#define sma_fence() (sma_clock_update(), sma_raise(sma_max_tstamp[ct]))
//if pso
//unit sma_fence_ss
#define sma_fence_ss() (sma_min_tstamp[ct] = sma_max_tstamp[ct])
//end
//unit sma_join
#define sma_join(t) (sma_clock_update(), sma_raise(sma_max_tstamp[t]))
//unit sma_atomic_begin
#define sma_atomic_begin() (sma_clock_update(), sma_raise(sma_max_tstamp[ct]), (void)(sma_in_section = 1))
//unit sma_read_begin
#define sma_read_begin() (sma_clock_update(), (void)(sma_in_section = 1))
//unit sma_atomic_end
#define sma_atomic_end() ((void)(sma_in_section = 0))
