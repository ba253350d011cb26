//unit *
/*
 * The shared memory of sequential consistency: what is written is there for all.
 */
//unit sma_init
#define sma_init() ((void)0)
//unit sma_addr
#define sma_addr(v) ((address)&(v))
//unit sma_read
#define sma_read(T, v) (v)
//unit sma_read_own
#define sma_read_own(T, v) (v)
//unit sma_read_addr
#define sma_read_addr(T, a) AT(T, a)
//unit sma_write
#define sma_write(T, v, x) ((v) = (x))
//unit sma_write_addr
#define sma_write_addr(T, a, x) (AT(T, a) = (x))
//unit sma_enter
#define sma_enter(T, v) ((v) = content(T))
//unit sma_fence
#define sma_fence() ((void)0)
//unit sma_fence_ss
#define sma_fence_ss() ((void)0)
//unit sma_join
#define sma_join(t) ((void)0)
//unit sma_atomic_begin
#define sma_atomic_begin() ((void)0)
//unit sma_read_begin
#define sma_read_begin() ((void)0)
//unit sma_atomic_end
#define sma_atomic_end() ((void)0)
