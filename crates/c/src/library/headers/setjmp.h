#ifndef __NORN_SETJMP_H
#define __NORN_SETJMP_H
#include <features.h>
/* Declarations only: non-local jumps are not supported. */
typedef struct { long __saved[32]; } jmp_buf[1];
typedef jmp_buf sigjmp_buf;
int setjmp(jmp_buf state);
int _setjmp(jmp_buf state);
int sigsetjmp(sigjmp_buf state, int save_mask);
_Noreturn void longjmp(jmp_buf state, int value);
_Noreturn void siglongjmp(sigjmp_buf state, int value);
#define setjmp(state) setjmp(state)
#endif
