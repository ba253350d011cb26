#ifndef __NORN_SYS_IPC_H
#define __NORN_SYS_IPC_H
#include <features.h>
#include <sys/types.h>
#define IPC_CREAT 512
#define IPC_EXCL 1024
#define IPC_NOWAIT 2048
#define IPC_RMID 0
#define IPC_SET 1
#define IPC_STAT 2
#define IPC_PRIVATE ((key_t)0)
/* No model: a call of these is reported by name. */
key_t ftok(const char *path, int project);
#endif
