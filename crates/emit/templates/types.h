typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned long uptr;
typedef long iptr;
typedef unsigned char *address;

#ifdef __GNUC__
#define SMA_ANY __attribute__((__may_alias__))
#else
#define SMA_ANY
#endif
typedef u8 SMA_ANY u8_any;
typedef u16 SMA_ANY u16_any;
typedef u32 SMA_ANY u32_any;
typedef u64 SMA_ANY u64_any;
typedef address SMA_ANY address_any;

/* The scalar at an address. */
#define AT(T, a) (*(T##_any *)(a))
