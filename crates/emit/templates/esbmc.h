_Bool nondet_bool(void);
unsigned char nondet_uchar(void);
unsigned short nondet_ushort(void);
unsigned int nondet_uint(void);
unsigned long nondet_ulong(void);
void __ESBMC_assume(_Bool condition);
void __ESBMC_assert(_Bool condition, const char *text);
#define nondet(T) nondet_##T()
#define nondet_u8() ((u8)nondet_uchar())
#define nondet_u16() ((u16)nondet_ushort())
#define nondet_u32() ((u32)nondet_uint())
#define nondet_u64() ((u64)nondet_uint() << 32 | nondet_uint())
#define assume(condition) __ESBMC_assume(condition)
#define fail(text) do { __ESBMC_assert(0, text); __ESBMC_assume(0); } while (0)
