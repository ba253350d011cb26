#ifndef __NORN_SYS_UIO_H
#define __NORN_SYS_UIO_H
#include <features.h>
#include <sys/types.h>
struct iovec { void *iov_base; size_t iov_len; };
/* No model: a call of these is reported by name. */
ssize_t readv(int descriptor, const struct iovec *parts, int count);
ssize_t writev(int descriptor, const struct iovec *parts, int count);
#endif
