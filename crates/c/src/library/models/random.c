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

void srand(unsigned int seed) {
    (void)seed;
}

void srandom(unsigned int seed) {
    (void)seed;
}

void srand48(long seed) {
    (void)seed;
}
