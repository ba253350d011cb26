#ifndef __NORN_SYS_EVENTFD_H
#define __NORN_SYS_EVENTFD_H
#include <features.h>
#include <stdint.h>
#define EFD_SEMAPHORE 1
#define EFD_NONBLOCK 2048
#define EFD_CLOEXEC 0x80000
typedef uint64_t eventfd_t;
/* No model: a call of these is reported by name. */
int eventfd(unsigned int value, int flags);
int eventfd_read(int descriptor, eventfd_t *value);
int eventfd_write(int descriptor, eventfd_t value);
#endif
