/* Futexes. A wait is two steps: compare the word and begin to wait, wake up. A wake-up takes waiting threads away from the word, any
   ones if there are more than it asks for. Waking up without cause is possible at any time, but does not count as enabled when
   deadlocks are looked for; a time limit does, because it is certain to pass. The kernel takes a lock for each call, so
   each is a fence; it orders nothing in the sense of happens-before.

   words:   up to 4 words on which threads wait; a word without threads is free to be another one
   waiting: the threads of each, as a set of the first 64 */
#include <linux/futex.h>
#include <norn.h>
#include <norn_errno.h>

#define WORDS 4
#define THREADS 64

static int *words[WORDS];
static unsigned long long waiting[WORDS];

_Bool __norn_nondet_timeout(void);
_Bool __norn_nondet_woken(void);

static long fail(int error) {
    errno = error;
    return -1;
}

/* The number of the word on which threads wait, or WORDS. Inside a section. */
static int find(const int *word) {
    for (int i = 0; i < WORDS; i++)
        if (words[i] == word && waiting[i] != 0)
            return i;
    return WORDS;
}

/* Likewise, but a free one if no thread waits. */
static int find_or_take(int *word) {
    int found = find(word);
    for (int i = 0; i < WORDS && found == WORDS; i++) {
        if (waiting[i] == 0) {
            words[i] = word;
            found = i;
        }
    }
    return found;
}

static long wait(int *word, int expected, _Bool timed) {
    if (__norn_self() >= THREADS)
        __norn_unsupported("a thread after the 64th waits on a futex");
    unsigned long long me = 1ull << __norn_self();
    int number = 0;
    __norn_section_begin();
    _Bool differs = __norn_load(*word) != expected;
    if (!differs) {
        number = find_or_take(word);
        if (number < WORDS)
            waiting[number] |= me;
    }
    __norn_section_end();
    if (differs)
        return fail(EAGAIN);
    if (number == WORDS)
        __norn_unsupported("threads wait on more than 4 futexes at a time");

    __norn_section_begin();
    _Bool woken = (waiting[number] & me) == 0;
    __norn_await_spurious(woken || timed);
    waiting[number] &= ~me;
    __norn_section_end();
    return !woken && timed && __norn_nondet_timeout() ? fail(ETIMEDOUT) : 0;
}

static int count(unsigned long long set) {
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* Wakes up to `most` threads; how many. */
static long wake(const int *word, int most) {
    int woken = 0;
    __norn_section_begin();
    int number = find(word);
    if (number < WORDS && most > 0) {
        unsigned long long rest = waiting[number];
        if (most == __INT_MAX__ || count(rest) <= most) {
            woken = count(rest);
            rest = 0;
        } else {
            int spared = count(rest) - most;
            for (unsigned long long left = rest; woken < most; left &= left - 1) {
                if (spared == 0 || __norn_nondet_woken()) {
                    rest &= ~(left & -left);
                    woken++;
                } else {
                    spared--;
                }
            }
        }
        waiting[number] = rest;
    }
    __norn_section_end();
    return woken;
}

long __norn_futex(void *word, int operation, int value, void *timeout, int set) {
    int command = operation & FUTEX_CMD_MASK;
    if ((command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET) && set != (int)FUTEX_BITSET_MATCH_ANY)
        __norn_unsupported("a futex with a set of bits");
    if (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET)
        return wait(word, value, timeout != 0);
    if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET)
        return wake(word, value);
    __norn_unsupported("an operation on a futex other than waiting and waking");
}
