#ifndef __NORN_SYS_TIMERFD_H
#define __NORN_SYS_TIMERFD_H
#include <features.h>
#include <time.h>
#define TFD_NONBLOCK 2048
#define TFD_CLOEXEC 0x80000
#define TFD_TIMER_ABSTIME 1
#define TFD_TIMER_CANCEL_ON_SET 2
/* No model: a call of these is reported by name. */
int timerfd_create(clockid_t clock, int flags);
int timerfd_settime(int descriptor, int flags, const struct itimerspec *value, struct itimerspec *old);
int timerfd_gettime(int descriptor, struct itimerspec *value);
#endif
