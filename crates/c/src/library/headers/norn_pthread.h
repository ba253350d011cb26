#ifndef __NORN_PTHREAD_TYPES_H
#define __NORN_PTHREAD_TYPES_H
/* The part of pthread.h that the models need. A model of mutexes and the like adds norn_types.h. */
#include <stddef.h>
struct timespec;

typedef unsigned long pthread_t;
typedef int clockid_t;
typedef struct __norn_mutex pthread_mutex_t;
typedef struct __norn_cond pthread_cond_t;
typedef struct __norn_rwlock pthread_rwlock_t;
typedef struct __norn_barrier pthread_barrier_t;
typedef volatile int pthread_spinlock_t;
typedef int pthread_once_t;
typedef unsigned int pthread_key_t;
typedef struct { int __bits; } pthread_mutexattr_t;
typedef struct { int __bits; } pthread_condattr_t;
typedef struct { int __kind, __shared; } pthread_rwlockattr_t;
typedef struct { int __bits; } pthread_barrierattr_t;
typedef struct {
    int __detached, __scope, __policy, __inherit, __priority;
    size_t __stack_size, __guard_size;
    void *__stack;
    long __spare;
} pthread_attr_t;

/* As glibc has it. */
struct _pthread_cleanup_buffer {
    void (*__routine)(void *);
    void *__arg;
    int __canceltype;
    struct _pthread_cleanup_buffer *__prev;
};

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_ADAPTIVE_NP 3
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1
#define PTHREAD_PRIO_PROTECT 2
#define PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP 2
#define PTHREAD_RWLOCK_DEFAULT_NP 0
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED ((void *)-1)
#endif
