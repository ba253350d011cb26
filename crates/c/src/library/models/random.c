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

/* With a state of the caller's, which only the caller may use at this time. */
static void use(unsigned short state[3]) {
    state[0] = state[0];
}

double erand48(unsigned short state[3]) {
    use(state);
    return drand48();
}

long nrand48(unsigned short state[3]) {
    use(state);
    return lrand48();
}

long jrand48(unsigned short state[3]) {
    use(state);
    return mrand48();
}

int drand48_r(struct drand48_data *restrict state, double *restrict result) {
    use(state->__x);
    *result = drand48();
    return 0;
}

int lrand48_r(struct drand48_data *restrict state, long *restrict result) {
    use(state->__x);
    *result = lrand48();
    return 0;
}

int mrand48_r(struct drand48_data *restrict state, long *restrict result) {
    use(state->__x);
    *result = mrand48();
    return 0;
}

int erand48_r(unsigned short state[3], struct drand48_data *restrict data, double *restrict result) {
    use(data->__x);
    *result = erand48(state);
    return 0;
}

int nrand48_r(unsigned short state[3], struct drand48_data *restrict data, long *restrict result) {
    use(data->__x);
    *result = nrand48(state);
    return 0;
}

int jrand48_r(unsigned short state[3], struct drand48_data *restrict data, long *restrict result) {
    use(data->__x);
    *result = jrand48(state);
    return 0;
}

int srand48_r(long seed, struct drand48_data *state) {
    state->__x[2] = (unsigned short)(seed >> 16);
    state->__x[1] = (unsigned short)seed;
    state->__x[0] = 0x330e;
    return 0;
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
