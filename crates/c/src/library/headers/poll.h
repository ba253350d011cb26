#ifndef __NORN_POLL_H
#define __NORN_POLL_H
#include <features.h>
#include <signal.h>
#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
#define POLLRDNORM 64
#define POLLRDBAND 128
#define POLLWRNORM 256
#define POLLWRBAND 512
#define POLLMSG 1024
#define POLLREMOVE 0x1000
#define POLLRDHUP 0x2000
typedef unsigned long nfds_t;
struct pollfd { int fd; short events, revents; };
int poll(struct pollfd *descriptors, nfds_t count, int milliseconds);
/* No model: a call is reported by name. */
int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
#endif
