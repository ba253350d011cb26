/* Signals: none is ever sent, so what a program prepares for them has no effect but that it can be asked for. Sending one, or waiting
   for one, is not modelled, nor is a handler of the signal that `abort` sends. Actions belong to the process, masks to
   the thread. */
#include <norn.h>
#include <norn_errno.h>
#include <signal.h>

static struct sigaction actions[_NSIG];
static _Thread_local unsigned long long mask;

static int fail(int error) {
    errno = error;
    return -1;
}

static _Bool is_signal(int number) {
    return number > 0 && number < _NSIG;
}

static _Bool can_have_handler(int number) {
    return is_signal(number) && number != SIGKILL && number != SIGSTOP;
}

int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old) {
    if (!is_signal(number) || (action && !can_have_handler(number)))
        return fail(EINVAL);
    if (number == SIGABRT && action)
        __norn_unsupported("a handler of SIGABRT");
    struct sigaction before, after;
    if (action)
        after = *action;
    __norn_section_begin();
    before = actions[number];
    if (action)
        actions[number] = after;
    __norn_section_end();
    if (old)
        *old = before;
    return 0;
}

__sighandler_t signal(int number, __sighandler_t handler) {
    if (!can_have_handler(number)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (number == SIGABRT)
        __norn_unsupported("a handler of SIGABRT");
    __norn_section_begin();
    __sighandler_t before = actions[number].sa_handler;
    actions[number].sa_handler = handler;
    actions[number].sa_flags = SA_RESTART;
    __norn_section_end();
    return before;
}

#define WORD_BITS (8 * (int)sizeof(unsigned long))
#define WORDS (1024 / WORD_BITS)

int sigemptyset(sigset_t *set) {
    for (int i = 0; i < WORDS; i++)
        set->__bits[i] = 0;
    return 0;
}

int sigfillset(sigset_t *set) {
    for (int i = 0; i < WORDS; i++)
        set->__bits[i] = ~0ul;
    return 0;
}

int sigaddset(sigset_t *set, int number) {
    if (!is_signal(number))
        return fail(EINVAL);
    set->__bits[(number - 1) / WORD_BITS] |= 1ul << (number - 1) % WORD_BITS;
    return 0;
}

int sigdelset(sigset_t *set, int number) {
    if (!is_signal(number))
        return fail(EINVAL);
    set->__bits[(number - 1) / WORD_BITS] &= ~(1ul << (number - 1) % WORD_BITS);
    return 0;
}

int sigismember(const sigset_t *set, int number) {
    if (!is_signal(number))
        return fail(EINVAL);
    return (set->__bits[(number - 1) / WORD_BITS] >> (number - 1) % WORD_BITS & 1) != 0;
}

/* Of the words, those that hold the first 64 signals: there are no others. */
#define USED (64 / WORD_BITS)
#define NEVER_BLOCKED (1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1) | 3ull << 31)

static unsigned long long read_set(const sigset_t *set) {
    unsigned long long bits = 0;
    for (int i = 0; i < USED; i++)
        bits |= (unsigned long long)set->__bits[i] << (i * WORD_BITS % 64);
    return bits;
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
    unsigned long long before = mask;
    if (set) {
        if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
            return EINVAL;
        unsigned long long bits = read_set(set);
        mask = (how == SIG_BLOCK ? before | bits : how == SIG_UNBLOCK ? before & ~bits : bits) & ~NEVER_BLOCKED;
    }
    if (old)
        for (int i = 0; i < WORDS; i++)
            old->__bits[i] = i < USED ? (unsigned long)(before >> (i * WORD_BITS % 64)) : 0;
    return 0;
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
    int error = pthread_sigmask(how, set, old);
    return error ? fail(error) : 0;
}

/* A thread begins with the mask of the one that creates it. */
unsigned long long __model_signal_mask(void) {
    return mask;
}

void __model_inherit_signal_mask(unsigned long long inherited) {
    mask = inherited;
}
