/* What the machine is like: any number of processors, the same for the whole execution; which one a thread runs on can change at
   any time. Pages have the size of x86; a constant question about them is answered where it is asked. */
#define _GNU_SOURCE
#include <norn.h>
#include <norn_errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

unsigned int __norn_nondet_processors(void);
unsigned int __norn_nondet_processor(void);
unsigned long __norn_nondet_amount(void);
long __norn_nondet_seconds(void);
long __norn_nondet_fraction(void);

#define MOST 4096

static int processors;

static void choose(void) __attribute__((constructor));

static void choose(void) {
    unsigned int number = __norn_nondet_processors();
    __norn_assume(number > 0 && number <= MOST);
    processors = (int)number;
}

int get_nprocs(void) {
    return processors;
}

int get_nprocs_conf(void) {
    return processors;
}

long sysconf(int name) {
    if (name == _SC_PAGESIZE)
        return 4096;
    if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)
        return processors;
    if (name == _SC_CLK_TCK)
        return 100;
    __norn_unsupported("'sysconf' of something other than pages, processors and clock ticks");
}

int sched_getcpu(void) {
    unsigned int number = __norn_nondet_processor();
    __norn_assume(number < (unsigned int)processors);
    return (int)number;
}

static long amount(void) {
    return (long)(__norn_nondet_amount() >> 1);
}

static struct timeval time_spent(void) {
    struct timeval result = { __norn_nondet_seconds(), __norn_nondet_fraction() };
    __norn_assume(result.tv_sec >= 0 && result.tv_usec >= 0 && result.tv_usec < 1000000);
    return result;
}

int getrusage(int who, struct rusage *result) {
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD) {
        errno = EINVAL;
        return -1;
    }
    result->ru_utime = time_spent();
    result->ru_stime = time_spent();
    result->ru_maxrss = amount();
    result->ru_ixrss = result->ru_idrss = result->ru_isrss = 0;
    result->ru_minflt = amount();
    result->ru_majflt = amount();
    result->ru_nswap = 0;
    result->ru_inblock = amount();
    result->ru_oublock = amount();
    result->ru_msgsnd = result->ru_msgrcv = result->ru_nsignals = 0;
    result->ru_nvcsw = amount();
    result->ru_nivcsw = amount();
    return 0;
}

int sysinfo(struct sysinfo *result) {
    result->uptime = amount();
    for (int i = 0; i < 3; i++)
        result->loads[i] = __norn_nondet_amount();
    result->totalram = __norn_nondet_amount();
    result->freeram = __norn_nondet_amount();
    result->sharedram = __norn_nondet_amount();
    result->bufferram = __norn_nondet_amount();
    result->totalswap = __norn_nondet_amount();
    result->freeswap = __norn_nondet_amount();
    result->procs = (unsigned short)__norn_nondet_amount();
    result->totalhigh = __norn_nondet_amount();
    result->freehigh = __norn_nondet_amount();
    result->mem_unit = 1;
    return 0;
}
