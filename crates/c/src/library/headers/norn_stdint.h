#ifndef __NORN_MODEL_STDINT_H
#define __NORN_MODEL_STDINT_H
/* The part of stdint.h that the models need, with the sizes of stddef.h; stdint.h itself must not declare those. */
#include <stddef.h>
typedef __INTMAX_TYPE__ intmax_t;
typedef __UINTMAX_TYPE__ uintmax_t;
typedef __SIZE_TYPE__ uintptr_t;
#define INT32_MAX 2147483647
#endif
