#ifndef __NORN_SYS_AUXV_H
#define __NORN_SYS_AUXV_H
/* No model: a call of these is reported by name. */
unsigned long getauxval(unsigned long type);
#endif
