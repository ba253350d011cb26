#ifndef __NORN_SYS_FILE_H
#define __NORN_SYS_FILE_H
#include <features.h>
#include <fcntl.h>
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
/* No model: a call of these is reported by name. */
int flock(int descriptor, int operation);
#endif
