#ifndef __NORN_SYS_UCONTEXT_H
#define __NORN_SYS_UCONTEXT_H
#include <ucontext.h>
#endif
