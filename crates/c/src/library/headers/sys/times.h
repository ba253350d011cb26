#ifndef __NORN_SYS_TIMES_H
#define __NORN_SYS_TIMES_H
#include <features.h>
#include <sys/types.h>
struct tms { clock_t tms_utime, tms_stime, tms_cutime, tms_cstime; };
/* No model: a call of these is reported by name. */
clock_t times(struct tms *result);
#endif
