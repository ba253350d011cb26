#ifndef __NORN_FENV_H
#define __NORN_FENV_H
#include <features.h>
#define FE_TONEAREST 0
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_DOWNWARD 1024
#define FE_UPWARD 2048
#define FE_TOWARDZERO 3072
/* No model: a call of these is reported by name. */
int feclearexcept(int exceptions);
int fetestexcept(int exceptions);
int feraiseexcept(int exceptions);
int fegetround(void);
int fesetround(int mode);
#endif
