#ifndef __NORN_ASM_UNISTD_H
#define __NORN_ASM_UNISTD_H
#include <sys/syscall.h>
#endif
