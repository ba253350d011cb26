#ifndef __NORN_STDLIB_H
#define __NORN_STDLIB_H
#include <features.h>
#include <stddef.h>
#include <alloca.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX ((size_t)1)
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void *reallocarray(void *memory, size_t count, size_t size);
void free(void *memory);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **memory, size_t alignment, size_t size);
void *valloc(size_t size);
_Noreturn void abort(void);
_Noreturn void exit(int status);
_Noreturn void _Exit(int status);
_Noreturn void quick_exit(int status);
int atexit(void (*function)(void));
int on_exit(void (*function)(int status, void *arg), void *arg);
int at_quick_exit(void (*function)(void));
int abs(int value);
long labs(long value);
long long llabs(long long value);
div_t div(int numerator, int denominator);
ldiv_t ldiv(long numerator, long denominator);
lldiv_t lldiv(long long numerator, long long denominator);
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double atof(const char *text);
long strtol(const char *restrict text, char **restrict end, int base);
long long strtoll(const char *restrict text, char **restrict end, int base);
unsigned long strtoul(const char *restrict text, char **restrict end, int base);
unsigned long long strtoull(const char *restrict text, char **restrict end, int base);
double strtod(const char *restrict text, char **restrict end);
float strtof(const char *restrict text, char **restrict end);
int rand(void);
void srand(unsigned int seed);
int rand_r(unsigned int *seed);
long random(void);
void srandom(unsigned int seed);
double drand48(void);
void srand48(long seed);
long lrand48(void);
long mrand48(void);
double erand48(unsigned short state[3]);
long nrand48(unsigned short state[3]);
long jrand48(unsigned short state[3]);
unsigned short *seed48(unsigned short state[3]);
void lcong48(unsigned short parameters[7]);
struct drand48_data {
    unsigned short __x[3], __old_x[3], __c, __init;
    unsigned long long __a;
};
int drand48_r(struct drand48_data *restrict state, double *restrict result);
int lrand48_r(struct drand48_data *restrict state, long *restrict result);
int mrand48_r(struct drand48_data *restrict state, long *restrict result);
int erand48_r(unsigned short state[3], struct drand48_data *restrict data, double *restrict result);
int nrand48_r(unsigned short state[3], struct drand48_data *restrict data, long *restrict result);
int jrand48_r(unsigned short state[3], struct drand48_data *restrict data, long *restrict result);
int srand48_r(long seed, struct drand48_data *state);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int system(const char *command);
#endif
