#ifndef __NORN_ALLOCA_H
#define __NORN_ALLOCA_H
#include <features.h>
#include <stddef.h>
#undef alloca
#define alloca(size) __builtin_alloca(size)
#endif
