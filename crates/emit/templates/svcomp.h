_Bool __VERIFIER_nondet_bool(void);
unsigned char __VERIFIER_nondet_uchar(void);
unsigned short __VERIFIER_nondet_ushort(void);
unsigned int __VERIFIER_nondet_uint(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
void __VERIFIER_assume(int condition);
void reach_error(void);
void abort(void);
#define nondet(T) nondet_##T()
#define nondet_bool() __VERIFIER_nondet_bool()
#define nondet_u8() ((u8)__VERIFIER_nondet_uchar())
#define nondet_u16() ((u16)__VERIFIER_nondet_ushort())
#define nondet_u32() ((u32)__VERIFIER_nondet_uint())
#define nondet_u64() ((u64)__VERIFIER_nondet_ulonglong())
#define assume(condition) __VERIFIER_assume(condition)
#define fail(text) do { reach_error(); abort(); } while (0)
