#ifndef __NORN_MODEL_ERRNO_H
#define __NORN_MODEL_ERRNO_H
/* The part of errno.h that the models need. */
int *__errno_location(void);
#define errno (*__errno_location())
#define EPERM 1
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define ERANGE 34
#define EDEADLK 35
#define ENOSYS 38
#define EOVERFLOW 75
#define ETIMEDOUT 110
#endif
