// Runs the threads of a program many times on the machine itself and prints the outcomes with their counts: first a line
// with the names, then one line per outcome, the count before the values.
//
// The runs of a batch each have their own cells. The threads stay alive over a batch and meet before each run at a
// barrier of spinning. The last to arrive sets the time, by the processor's counter, at which all start, so that their
// bodies overlap within a few cycles: weak outcomes need that. Short random delays shift the bodies against one another.
// On a busy machine threads wait long for a processor, so the time is limited as well as the number of runs.
//
// To be compiled with -D_GNU_SOURCE, which on Linux lets threads be given processors of their own.

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 500, MAX_OUTCOMES = 1000, MAX_DELAY = 16, NOTICE_CYCLES = 600 };

struct run {
    _Alignas(CACHE_LINE) atomic_int arrived;
    _Atomic uint64_t start;
    struct cells cells;
};
static struct run batch[BATCH];
static int batch_size;

struct count {
    long times;
    int outcome[OUTCOME_SIZE];
};
static struct count counts[MAX_OUTCOMES];
static int outcomes;

// Not all threads can run at once: spinning only keeps the others away.
static int crowded;

static void meet(struct run *run)
{
    if (atomic_fetch_add(&run->arrived, 1) == THREAD_COUNT - 1)
        atomic_store_explicit(&run->start, __builtin_ia32_rdtsc() + NOTICE_CYCLES, memory_order_release);
    uint64_t start;
    int spins_before_yield = crowded ? 50 : 5000;
    for (int spins = 0; (start = atomic_load_explicit(&run->start, memory_order_acquire)) == 0; spins++)
        if (spins >= spins_before_yield)
            sched_yield();
    while (__builtin_ia32_rdtsc() < start)
        ;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static void delay(uint32_t *seed)
{
    uint32_t random = next_random(seed);
    if (random & 1) // often no delay at all
        for (volatile uint32_t left = (random >> 1) % MAX_DELAY; left > 0; left--)
            ;
}

static void repeat(void (*body)(struct cells *), uint32_t *seed)
{
    for (int i = 0; i < batch_size; i++) {
        meet(&batch[i]);
        delay(seed);
        body(&batch[i].cells);
    }
}

#define START(name) \
    static void *start_##name(void *seed) \
    { \
        repeat(name, seed); \
        return NULL; \
    }
THREADS(START)
#undef START

static void count(struct cells *at)
{
    int outcome[OUTCOME_SIZE];
    read_outcome(at, outcome);
    for (int i = 0; i < outcomes; i++)
        if (memcmp(counts[i].outcome, outcome, sizeof outcome) == 0) {
            counts[i].times++;
            return;
        }
    if (outcomes == MAX_OUTCOMES) {
        fprintf(stderr, "more than %d different outcomes\n", MAX_OUTCOMES);
        exit(1);
    }
    counts[outcomes].times = 1;
    memcpy(counts[outcomes].outcome, outcome, sizeof outcome);
    outcomes++;
}

// Two threads on one processor take turns and show little. Where threads cannot be placed they run wherever the system likes.
static void place(pthread_t thread, int slot)
{
#ifdef __linux__
    cpu_set_t usable, chosen;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) == 0)
        return;
    int left = slot % CPU_COUNT(&usable);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &usable) && left-- == 0) {
            CPU_ZERO(&chosen);
            CPU_SET(cpu, &chosen);
            pthread_setaffinity_np(thread, sizeof chosen, &chosen);
            return;
        }
#else
    (void)thread, (void)slot;
#endif
}

static void run_batch(uint32_t seeds[THREAD_COUNT])
{
    static uint32_t placing = 88172645u;
#define NAME(name) start_##name,
    static void *(*const starts[])(void *) = { THREADS(NAME) };
#undef NAME
    memset(batch, 0, sizeof batch);
    for (int i = 0; i < batch_size; i++)
        SETUP(&batch[i].cells);
    pthread_t threads[THREAD_COUNT];
    for (int t = 0; t < THREAD_COUNT; t++)
        if (pthread_create(&threads[t], NULL, starts[t], &seeds[t]) != 0) {
            fprintf(stderr, "cannot start a thread\n");
            exit(1);
        }
    for (int t = 0; t < THREAD_COUNT; t++)
        place(threads[t], crowded ? (int)(next_random(&placing) % THREAD_COUNT) : t);
    for (int t = 0; t < THREAD_COUNT; t++)
        pthread_join(threads[t], NULL);
    for (int i = 0; i < batch_size; i++)
        count(&batch[i].cells);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s RUNS SECONDS\n", argv[0]);
        return 1;
    }
    long seconds = atol(argv[2]);
    alarm((unsigned)seconds + 60); // threads that wait for one another for ever must not hang the test
    time_t deadline = time(NULL) + seconds;
    crowded = sysconf(_SC_NPROCESSORS_ONLN) < THREAD_COUNT;
    uint32_t seeds[THREAD_COUNT];
    for (int t = 0; t < THREAD_COUNT; t++)
        seeds[t] = 2463534242u + 7919u * (uint32_t)t;
    for (long left = atol(argv[1]); left > 0 && time(NULL) <= deadline; left -= batch_size) {
        batch_size = left < BATCH ? (int)left : BATCH;
        run_batch(seeds);
    }
#define PRINT_RESULT(name) " " #name
#define PRINT_VARIABLE(type, name) " " #name
    puts("outcomes" RESULTS(PRINT_RESULT) VARIABLES(PRINT_VARIABLE));
    for (int i = 0; i < outcomes; i++) {
        printf("%ld", counts[i].times);
        for (int k = 0; k < OUTCOME_SIZE; k++)
            printf(" %d", counts[i].outcome[k]);
        putchar('\n');
    }
    return 0;
}
