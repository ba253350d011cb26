#ifndef __NORN_VALUES_H
#define __NORN_VALUES_H
#include <limits.h>
#include <float.h>
#define MAXINT INT_MAX
#define MININT INT_MIN
#define MAXLONG LONG_MAX
#define MINLONG LONG_MIN
#define MAXSHORT SHRT_MAX
#define MINSHORT SHRT_MIN
#endif
