#ifndef __NORN_SCHED_H
#define __NORN_SCHED_H
#include <features.h>
#include <sys/types.h>
#include <time.h>
#include <norn_sched.h>
#define SCHED_BATCH 3
#define SCHED_IDLE 5
int sched_yield(void);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
typedef struct { unsigned long __bits[1024 / (8 * sizeof(long))]; } cpu_set_t;
#define CPU_SETSIZE 1024
#define __CPU_WORD(cpu, set) ((set)->__bits[(size_t)(cpu) / (8 * sizeof(long))])
#define __CPU_BIT(cpu) (1ul << (size_t)(cpu) % (8 * sizeof(long)))
#define CPU_ZERO(set) ((void)(*(set) = (cpu_set_t){ { 0 } }))
#define CPU_SET(cpu, set) ((size_t)(cpu) < CPU_SETSIZE ? (__CPU_WORD(cpu, set) |= __CPU_BIT(cpu)) : 0)
#define CPU_CLR(cpu, set) ((size_t)(cpu) < CPU_SETSIZE ? (__CPU_WORD(cpu, set) &= ~__CPU_BIT(cpu)) : 0)
#define CPU_ISSET(cpu, set) ((size_t)(cpu) < CPU_SETSIZE && (__CPU_WORD(cpu, set) & __CPU_BIT(cpu)) != 0)
#define CPU_COUNT(set) __sched_cpucount(sizeof(cpu_set_t), set)
#define CPU_EQUAL(a, b) (__builtin_memcmp(a, b, sizeof(cpu_set_t)) == 0)
#define __CPU_EACH(to, a, op, b) \
    ((void)__extension__({ \
        for (size_t __i = 0; __i < 1024 / (8 * sizeof(long)); __i++) \
            (to)->__bits[__i] = (a)->__bits[__i] op (b)->__bits[__i]; \
    }))
#define CPU_AND(to, a, b) __CPU_EACH(to, a, &, b)
#define CPU_OR(to, a, b) __CPU_EACH(to, a, |, b)
#define CPU_XOR(to, a, b) __CPU_EACH(to, a, ^, b)
int __sched_cpucount(size_t size, const cpu_set_t *set);
int sched_getcpu(void);
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
#ifdef _GNU_SOURCE
/* No model: a call of these is reported by name. */
#define CLONE_VM 0x100
#define CLONE_FS 0x200
#define CLONE_FILES 0x400
#define CLONE_SIGHAND 0x800
#define CLONE_PIDFD 0x1000
#define CLONE_PTRACE 0x2000
#define CLONE_VFORK 0x4000
#define CLONE_PARENT 0x8000
#define CLONE_THREAD 0x10000
#define CLONE_NEWNS 0x20000
#define CLONE_SYSVSEM 0x40000
#define CLONE_SETTLS 0x80000
#define CLONE_PARENT_SETTID 0x100000
#define CLONE_CHILD_CLEARTID 0x200000
#define CLONE_DETACHED 0x400000
#define CLONE_UNTRACED 0x800000
#define CLONE_CHILD_SETTID 0x1000000
#define CLONE_NEWCGROUP 0x2000000
#define CLONE_NEWUTS 0x4000000
#define CLONE_NEWIPC 0x8000000
#define CLONE_NEWUSER 0x10000000
#define CLONE_NEWPID 0x20000000
#define CLONE_NEWNET 0x40000000
#define CLONE_IO 0x80000000
int clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
int unshare(int flags);
int setns(int descriptor, int kind);
#endif
#endif
