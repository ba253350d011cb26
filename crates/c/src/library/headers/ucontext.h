#ifndef __NORN_UCONTEXT_H
#define __NORN_UCONTEXT_H
#include <features.h>
#include <signal.h>
/* What a context saves is nobody's business. */
#ifdef __LP64__
typedef struct { long long __saved[32]; } mcontext_t;
#else
typedef struct { int __saved[22]; } mcontext_t;
#endif
typedef struct ucontext_t {
    unsigned long uc_flags;
    struct ucontext_t *uc_link;
    stack_t uc_stack;
    mcontext_t uc_mcontext;
    sigset_t uc_sigmask;
} ucontext_t;
/* No model: a call of these is reported by name. */
int getcontext(ucontext_t *context);
int setcontext(const ucontext_t *context);
void makecontext(ucontext_t *context, void (*function)(void), int count, ...);
int swapcontext(ucontext_t *restrict save, const ucontext_t *restrict go);
#endif
