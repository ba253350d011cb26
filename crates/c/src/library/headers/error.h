#ifndef __NORN_ERROR_H
#define __NORN_ERROR_H
#include <features.h>
/* No model: a call of these is reported by name. */
void error(int status, int number, const char *format, ...);
extern unsigned int error_message_count;
#endif
