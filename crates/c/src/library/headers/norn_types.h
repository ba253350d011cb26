#ifndef __NORN_TYPES_H
#define __NORN_TYPES_H
/* The synchronisation objects as the models see them. Sizes are glibc's on both targets, all bytes zero is an object
   that was initialised with the defaults, and the mutex has its kind where glibc's static initialisers put it: so the
   models also work on objects that a program declared with glibc's headers. What the fields mean is said in the model. */
void __norn_mutex_kinds(void);
struct __norn_mutex {
    unsigned int __owner;
    unsigned int __count;
#ifdef __LP64__
    unsigned int __unused[2];
#else
    unsigned int __unused[1];
#endif
    int __kind;
    int __spare;
    void (*__mention)(void);
#ifdef __LP64__
    long __more;
#endif
};
struct __norn_cond {
    unsigned long long __state;
    unsigned long long __levels;
    int __spare[8];
};
#define __NORN_WRITERS_FIRST (~1ull)
struct __norn_rwlock {
    unsigned long long __state;
    unsigned long long __read_clock;
#ifdef __LP64__
    int __spare[10];
#else
    int __spare[4];
#endif
};
struct __norn_barrier {
    unsigned int __count;
    int __state;
    long __spare[3];
};
struct __norn_semaphore {
    int __value;
    long __spare[3];
};
#endif
