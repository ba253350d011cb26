#ifndef __NORN_STDNORETURN_H
#define __NORN_STDNORETURN_H
#define noreturn _Noreturn
#endif
