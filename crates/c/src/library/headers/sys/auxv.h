#ifndef __NORN_SYS_AUXV_H
#define __NORN_SYS_AUXV_H
#include <features.h>
/* No model: a call of these is reported by name. */
unsigned long getauxval(unsigned long type);
#endif
