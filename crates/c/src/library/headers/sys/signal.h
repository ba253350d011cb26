#ifndef __NORN_SYS_SIGNAL_H
#define __NORN_SYS_SIGNAL_H
#include <signal.h>
#endif
