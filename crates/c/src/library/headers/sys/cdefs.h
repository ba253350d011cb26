#ifndef __NORN_SYS_CDEFS_H
#define __NORN_SYS_CDEFS_H
/* C is the only language here, so that there is nothing to begin or end. */
#define __BEGIN_DECLS
#define __END_DECLS
#define __CONCAT(a, b) a##b
#define __STRING(x) #x
#define __ptr_t void *
#define __P(parameters) parameters
#define __PMT(parameters) parameters
#define __THROW
#define __THROWNL
#define __NTH(declarator) declarator
#define __nonnull(parameters)
#define __wur
#define __attribute_pure__ __attribute__((__pure__))
#define __attribute_const__ __attribute__((__const__))
#define __attribute_malloc__ __attribute__((__malloc__))
#define __attribute_used__ __attribute__((__used__))
#define __attribute_noinline__ __attribute__((__noinline__))
#define __attribute_deprecated__ __attribute__((__deprecated__))
#define __attribute_warn_unused_result__ __attribute__((__warn_unused_result__))
#define __always_inline inline __attribute__((__always_inline__))
#define __flexarr []
#define __glibc_likely(condition) __builtin_expect((condition), 1)
#define __glibc_unlikely(condition) __builtin_expect((condition), 0)
#define __LEAF
#define __LEAF_ATTR
#endif
