//unit *
/* What a location holds: numbers are extended with their sign. */
//if pointers
typedef struct { u64 number; address pointer; } sma_value;
//unit sma_of_number
static sma_value sma_of_number(u64 number)
{
    sma_value value;
    value.number = number;
    value.pointer = (address)(uptr)number;
    return value;
}
//unit sma_of_pointer
static sma_value sma_of_pointer(address pointer)
{
    sma_value value;
    value.number = (u64)(uptr)pointer;
    value.pointer = pointer;
    return value;
}
//unit sma_number
#define sma_number(value) ((value).number)
//unit sma_pointer
#define sma_pointer(value) ((value).pointer)
//end
//unit *
//if !pointers
typedef u64 sma_value;
//unit sma_of_number
#define sma_of_number(number) (number)
//unit sma_number
#define sma_number(value) (value)
//end
//unit sma_make_u8
#define sma_make_u8(x) sma_of_number((u64)(i64)(i8)(x))
//unit sma_make_u16
#define sma_make_u16(x) sma_of_number((u64)(i64)(i16)(x))
//unit sma_make_u32
#define sma_make_u32(x) sma_of_number((u64)(i64)(i32)(x))
//unit sma_make_u64
#define sma_make_u64(x) sma_of_number((u64)(x))
//unit sma_make_address
#define sma_make_address(x) sma_of_pointer(x)
//unit sma_take_u8
#define sma_take_u8(value) ((u8)sma_number(value))
//unit sma_take_u16
#define sma_take_u16(value) ((u16)sma_number(value))
//unit sma_take_u32
#define sma_take_u32(value) ((u32)sma_number(value))
//unit sma_take_u64
#define sma_take_u64(value) ((u64)sma_number(value))
//unit sma_take_address
#define sma_take_address(value) sma_pointer(value)
