#ifndef __NORN_SYS_SHM_H
#define __NORN_SYS_SHM_H
#include <features.h>
#include <sys/ipc.h>
struct shmid_ds;
#define SHM_RDONLY 4096
#define SHM_RND 8192
/* No model: a call of these is reported by name. */
int shmget(key_t key, size_t size, int flags);
void *shmat(int id, const void *address, int flags);
int shmdt(const void *address);
int shmctl(int id, int command, struct shmid_ds *buffer);
#endif
