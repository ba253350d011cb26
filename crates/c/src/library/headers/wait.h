#ifndef __NORN_WAIT_H
#define __NORN_WAIT_H
#include <sys/wait.h>
#endif
