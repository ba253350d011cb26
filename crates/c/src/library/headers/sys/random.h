#ifndef __NORN_SYS_RANDOM_H
#define __NORN_SYS_RANDOM_H
#include <features.h>
#include <sys/types.h>
#define GRND_NONBLOCK 1
#define GRND_RANDOM 2
/* No model: a call of these is reported by name. */
ssize_t getrandom(void *to, size_t size, unsigned int flags);
int getentropy(void *to, size_t size);
#endif
