#ifndef __NORN_SYS_EPOLL_H
#define __NORN_SYS_EPOLL_H
#include <features.h>
#include <stdint.h>
#include <signal.h>
#define EPOLLIN 1
#define EPOLL_CTL_ADD 1
#define EPOLLPRI 2
#define EPOLL_CTL_DEL 2
#define EPOLL_CTL_MOD 3
#define EPOLLOUT 4
#define EPOLLERR 8
#define EPOLLHUP 16
#define EPOLLRDNORM 64
#define EPOLLRDBAND 128
#define EPOLLWRNORM 256
#define EPOLLWRBAND 512
#define EPOLLMSG 1024
#define EPOLLRDHUP 0x2000
#define EPOLL_CLOEXEC 0x80000
#define EPOLLEXCLUSIVE 0x10000000
#define EPOLLWAKEUP 0x20000000
#define EPOLLONESHOT 0x40000000
#define EPOLLET 0x80000000u
typedef union epoll_data { void *ptr; int fd; uint32_t u32; uint64_t u64; } epoll_data_t;
struct epoll_event { uint32_t events; epoll_data_t data; } __attribute__((__packed__));
/* No model: a call of these is reported by name. */
int epoll_create(int size);
int epoll_create1(int flags);
int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event);
int epoll_wait(int epoll, struct epoll_event *events, int most, int milliseconds);
#endif
