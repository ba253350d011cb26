/*
 * The shared memory of sequential consistency: what is written is there for all.
 */
#define sma_init() ((void)0)
#define sma_addr(v) ((address)&(v))
#define sma_read(T, v) (v)
#define sma_read_addr(T, a) AT(T, a)
#define sma_write(T, v, x) ((v) = (x))
#define sma_write_addr(T, a, x) (AT(T, a) = (x))
#define sma_enter(T, v) ((v) = content(T))
#define sma_fence() ((void)0)
#define sma_fence_ss() ((void)0)
#define sma_join(t) ((void)0)
#define sma_atomic_begin() ((void)0)
#define sma_read_begin() ((void)0)
#define sma_atomic_end() ((void)0)
