/* Random numbers: any value in the range, whatever the seed. */
#include <stdlib.h>

unsigned int __norn_nondet_rand(void);

int rand(void) {
    return (int)(__norn_nondet_rand() & RAND_MAX);
}

int rand_r(unsigned int *seed) {
    (void)seed;
    return rand();
}

long random(void) {
    return rand();
}

long lrand48(void) {
    return rand();
}

long mrand48(void) {
    return (int)__norn_nondet_rand();
}

/* Any multiple of 2^-48 from 0 to 1. */
double drand48(void) {
    unsigned long long high = __norn_nondet_rand() & 0xffff;
    return (double)(high << 32 | __norn_nondet_rand()) / 281474976710656.0;
}

void srand(unsigned int seed) {
    (void)seed;
}

void srandom(unsigned int seed) {
    (void)seed;
}

void srand48(long seed) {
    (void)seed;
}
