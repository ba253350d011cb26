#ifndef __NORN_EMMINTRIN_H
#define __NORN_EMMINTRIN_H
/* The fences; vectors are not supported. */
#define _mm_mfence() __builtin_ia32_mfence()
#define _mm_sfence() __builtin_ia32_sfence()
#define _mm_lfence() __builtin_ia32_lfence()
#define _mm_pause() __builtin_ia32_pause()
#endif
