#ifndef __NORN_SYSCALL_H
#define __NORN_SYSCALL_H
#include <sys/syscall.h>
#endif
