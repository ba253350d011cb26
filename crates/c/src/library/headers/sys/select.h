#ifndef __NORN_SYS_SELECT_H
#define __NORN_SYS_SELECT_H
#include <features.h>
#include <sys/types.h>
#include <sys/time.h>
#include <signal.h>
#define FD_SETSIZE 1024
typedef struct { unsigned long __bits[FD_SETSIZE / (8 * sizeof(unsigned long))]; } fd_set;
#define __NORN_FD_WORD(fd, set) ((set)->__bits[(fd) / (8 * sizeof(unsigned long))])
#define __NORN_FD_BIT(fd) (1ul << (fd) % (8 * sizeof(unsigned long)))
#define FD_ZERO(set) ((void)(*(set) = (fd_set){{0}}))
#define FD_SET(fd, set) ((void)(__NORN_FD_WORD(fd, set) |= __NORN_FD_BIT(fd)))
#define FD_CLR(fd, set) ((void)(__NORN_FD_WORD(fd, set) &= ~__NORN_FD_BIT(fd)))
#define FD_ISSET(fd, set) ((__NORN_FD_WORD(fd, set) & __NORN_FD_BIT(fd)) != 0)
int select(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict errors, struct timeval *restrict timeout);
#endif
