#ifndef __NORN_SEMAPHORE_H
#define __NORN_SEMAPHORE_H
#include <features.h>
#include <norn_types.h>
#include <sys/types.h>
#include <time.h>
typedef struct __norn_semaphore sem_t;
#define SEM_FAILED ((sem_t *)0)
int sem_init(sem_t *sem, int shared, unsigned int value);
int sem_destroy(sem_t *sem);
int sem_wait(sem_t *sem);
int sem_trywait(sem_t *sem);
int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until);
int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until);
int sem_post(sem_t *sem);
int sem_getvalue(sem_t *restrict sem, int *restrict value);
/* Named semaphores are not supported. */
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *sem);
int sem_unlink(const char *name);
#endif
