_Bool nondet_bool(void);
u8 nondet_u8(void);
u16 nondet_u16(void);
u32 nondet_u32(void);
u64 nondet_u64(void);
#ifndef __CPROVER__
void __CPROVER_assume(_Bool condition);
void __CPROVER_assert(_Bool condition, const char *text);
#endif
#define nondet(T) nondet_##T()
#define assume(condition) __CPROVER_assume(condition)
#define fail(text) do { __CPROVER_assert(0, text); __CPROVER_assume(0); } while (0)
