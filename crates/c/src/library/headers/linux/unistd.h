#ifndef __NORN_LINUX_UNISTD_H
#define __NORN_LINUX_UNISTD_H
#include <sys/syscall.h>
#endif
