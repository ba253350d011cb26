/* The types that the C of litmus tests names. */
typedef _Bool bool;
typedef signed char int8_t;
typedef unsigned char uint8_t, u8;
typedef short int16_t;
typedef unsigned short uint16_t, ushort, u16;
typedef int int32_t, atomic_t, spinlock_t, mutex_t, mtx_t;
typedef unsigned int uint32_t, uint, u32;
typedef long int64_t, intptr_t, ptrdiff_t, ssize_t, atomic64_t, atomic_long_t;
typedef unsigned long uint64_t, uintptr_t, size_t, ulong, u64;
typedef bool atomic_bool;
typedef signed char atomic_char, atomic_schar;
typedef unsigned char atomic_uchar;
typedef short atomic_short;
typedef unsigned short atomic_ushort;
typedef int atomic_int;
typedef unsigned int atomic_uint;
typedef long atomic_long, atomic_llong, atomic_intptr_t, atomic_ptrdiff_t;
typedef unsigned long atomic_ulong, atomic_ullong, atomic_uintptr_t, atomic_size_t;
typedef enum {
    memory_order_relaxed, memory_order_consume, memory_order_acquire,
    memory_order_release, memory_order_acq_rel, memory_order_seq_cst,
} memory_order;
#define true 1
#define false 0
#define NULL ((void *)0)
#define __rcu
