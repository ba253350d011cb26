/* What the C of litmus tests may use: C11's atomics and the Linux kernel's accesses, barriers, atomics and spinlocks.

   - Types say nothing about how an access is made: `*x` is plain for every type, and functions name their memory order.
     So `atomic_int` is an `int` here, and `_Atomic` has been taken out of declarations (registers.rs).
   - Read-modify-writes of the kernel that return a value and name no order are full barriers: here `seq_cst`. The
     operational models make a full barrier of every read-modify-write.
   - A lock is a location that is 0 while it is free.
   - Functions are macros, so that locations and registers may have their names. */

/* C11. */
#define __fits(order, other, message) \
    _Static_assert((order) != memory_order_acq_rel && (order) != memory_order_##other, message)
#define atomic_load_explicit(p, order) \
    ({ __fits(order, release, "a load cannot have this memory order"); __atomic_load_n(p, order); })
#define atomic_store_explicit(p, v, order) \
    ({ __fits(order, acquire, "a store cannot have this memory order"); __atomic_store_n(p, v, order); })
#define atomic_load(p) __atomic_load_n(p, memory_order_seq_cst)
#define atomic_store(p, v) __atomic_store_n(p, v, memory_order_seq_cst)
#define atomic_init(p, v) __atomic_store_n(p, v, memory_order_seq_cst)
#define atomic_exchange_explicit(p, v, order) __atomic_exchange_n(p, v, order)
#define atomic_exchange(p, v) __atomic_exchange_n(p, v, memory_order_seq_cst)
#define __compare_exchange(p, e, v, weak, order, failure) \
    ({ __fits(failure, release, "a failed exchange cannot have this memory order"); \
       __atomic_compare_exchange_n(p, e, v, weak, order, failure); })
#define atomic_compare_exchange_strong_explicit(p, e, v, order, failure) __compare_exchange(p, e, v, 0, order, failure)
#define atomic_compare_exchange_weak_explicit(p, e, v, order, failure) __compare_exchange(p, e, v, 1, order, failure)
#define atomic_compare_exchange_strong(p, e, v) \
    __compare_exchange(p, e, v, 0, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak(p, e, v) \
    __compare_exchange(p, e, v, 1, memory_order_seq_cst, memory_order_seq_cst)
#define SCAS(p, e, v) atomic_compare_exchange_strong(p, e, v)
#define WCAS(p, e, v) atomic_compare_exchange_weak(p, e, v)
#define atomic_fetch_add_explicit(p, v, order) __atomic_fetch_add(p, v, order)
#define atomic_fetch_sub_explicit(p, v, order) __atomic_fetch_sub(p, v, order)
#define atomic_fetch_and_explicit(p, v, order) __atomic_fetch_and(p, v, order)
#define atomic_fetch_or_explicit(p, v, order) __atomic_fetch_or(p, v, order)
#define atomic_fetch_xor_explicit(p, v, order) __atomic_fetch_xor(p, v, order)
#define atomic_thread_fence(order) __atomic_thread_fence(order)
#define atomic_signal_fence(order) __atomic_signal_fence(order)

/* C11 has the pointer first, the kernel last: the pointer of the two arguments, and the other one. */
#define __choose(a, number, pointer) \
    _Generic((a) + 0, int: number, unsigned: number, long: number, unsigned long: number, long long: number, \
        unsigned long long: number, default: pointer)
#define __fetch(op, a, b) \
    __atomic_fetch_##op(__choose(a, (b), (a)), __choose(a, (a), (b)), memory_order_seq_cst)
#define atomic_fetch_add(a, b) __fetch(add, a, b)
#define atomic_fetch_sub(a, b) __fetch(sub, a, b)
#define atomic_fetch_and(a, b) __fetch(and, a, b)
#define atomic_fetch_or(a, b) __fetch(or, a, b)
#define atomic_fetch_xor(a, b) __fetch(xor, a, b)

/* The kernel: accesses. */
#define READ_ONCE(x) __atomic_load_n(&(x), memory_order_relaxed)
#define ACCESS_ONCE(x) READ_ONCE(x)
#define rcu_dereference(x) READ_ONCE(x)
#define lockless_dereference(x) READ_ONCE(x)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, memory_order_relaxed)
#define rcu_assign_pointer(x, v) __atomic_store_n(&(x), v, memory_order_release)
#define smp_load_acquire(p) __atomic_load_n(p, memory_order_acquire)
#define smp_store_release(p, v) __atomic_store_n(p, v, memory_order_release)
#define smp_store_mb(x, v) (WRITE_ONCE(x, v), smp_mb())
#define atomic_read(p) __atomic_load_n(p, memory_order_relaxed)
#define atomic_read_acquire(p) __atomic_load_n(p, memory_order_acquire)
#define atomic_set(p, v) __atomic_store_n(p, v, memory_order_relaxed)
#define atomic_set_release(p, v) __atomic_store_n(p, v, memory_order_release)

/* Barriers. */
#define smp_mb() __atomic_thread_fence(memory_order_seq_cst)
#define mb() smp_mb()
#define smp_mb__before_atomic() smp_mb()
#define smp_mb__after_atomic() smp_mb()
#define smp_mb__after_spinlock() smp_mb()
#define smp_mb__after_unlock_lock() smp_mb()
#define smp_wmb() __builtin_ia32_sfence()
#define wmb() smp_wmb()
#define smp_rmb() __builtin_ia32_lfence()
#define rmb() smp_rmb()
#define smp_read_barrier_depends() smp_rmb()
#define barrier() __atomic_signal_fence(memory_order_seq_cst)

/* Exchanges. A comparison that fails orders nothing. */
#define xchg(p, v) __atomic_exchange_n(p, v, memory_order_seq_cst)
#define xchg_relaxed(p, v) __atomic_exchange_n(p, v, memory_order_relaxed)
#define xchg_acquire(p, v) __atomic_exchange_n(p, v, memory_order_acquire)
#define xchg_release(p, v) __atomic_exchange_n(p, v, memory_order_release)
#define atomic_xchg(p, v) xchg(p, v)
#define atomic_xchg_relaxed(p, v) xchg_relaxed(p, v)
#define atomic_xchg_acquire(p, v) xchg_acquire(p, v)
#define atomic_xchg_release(p, v) xchg_release(p, v)
#define __cmpxchg(p, e, v, order) \
    ({ __typeof__(*(p)) __before = (e); \
       __atomic_compare_exchange_n(p, &__before, v, 0, order, memory_order_relaxed); __before; })
#define cmpxchg(p, e, v) __cmpxchg(p, e, v, memory_order_seq_cst)
#define cmpxchg_relaxed(p, e, v) __cmpxchg(p, e, v, memory_order_relaxed)
#define cmpxchg_acquire(p, e, v) __cmpxchg(p, e, v, memory_order_acquire)
#define cmpxchg_release(p, e, v) __cmpxchg(p, e, v, memory_order_release)
#define atomic_cmpxchg(p, e, v) cmpxchg(p, e, v)
#define atomic_cmpxchg_relaxed(p, e, v) cmpxchg_relaxed(p, e, v)
#define atomic_cmpxchg_acquire(p, e, v) cmpxchg_acquire(p, e, v)
#define atomic_cmpxchg_release(p, e, v) cmpxchg_release(p, e, v)

/* Adds unless the location holds `u`. The kernel tries until no other thread comes between; only the last try, which
   succeeds or finds `u`, has an effect that lasts, so the others need not be followed. */
#define atomic_add_unless(p, a, u) \
    ({ __typeof__(*(p)) __found = atomic_read(p); _Bool __adds = __found != (u); \
       if (__adds) __norn_assume(__atomic_compare_exchange_n( \
           p, &__found, __found + (a), 0, memory_order_seq_cst, memory_order_relaxed)); \
       __adds; })
#define atomic_inc_not_zero(p) atomic_add_unless(p, 1, 0)

/* Spinlocks. */
#define spin_lock(l) \
    do { \
        __norn_section_begin(); \
        __norn_await(__atomic_load_n(l, memory_order_acquire) == 0); \
        __atomic_store_n(l, 1, memory_order_relaxed); \
        __norn_section_end(); \
    } while (0)
#define spin_unlock(l) __atomic_store_n(l, 0, memory_order_release)
#define spin_trylock(l) (__cmpxchg(l, 0, 1, memory_order_acquire) == 0)
#define spin_is_locked(l) (READ_ONCE(*(l)) != 0)
#define lock(l) spin_lock(l)
#define unlock(l) spin_unlock(l)
#define mtx_lock(l) spin_lock(l)
#define mtx_unlock(l) spin_unlock(l)
