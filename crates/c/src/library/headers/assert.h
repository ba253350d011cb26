/* No include guard: each inclusion obeys the NDEBUG of its own place. */
#ifndef __NORN_ASSERT_H
#define __NORN_ASSERT_H
#include <features.h>
_Noreturn void __assert_fail(const char *text, const char *file, unsigned int line, const char *function);
#define static_assert _Static_assert
#endif
#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))
#endif
