//unit sma_f32
static float sma_f32(u32 bits)
{
    union { u32 bits; float number; } both;
    both.bits = bits;
    return both.number;
}
//unit sma_f64
static double sma_f64(u64 bits)
{
    union { u64 bits; double number; } both;
    both.bits = bits;
    return both.number;
}
//unit sma_bits32
static u32 sma_bits32(float number)
{
    union { u32 bits; float number; } both;
    both.number = number;
    return both.bits;
}
//unit sma_bits64
static u64 sma_bits64(double number)
{
    union { u64 bits; double number; } both;
    both.number = number;
    return both.bits;
}
//unit sma_popcount
static u64 sma_popcount(u64 bits)
{
    u64 count = 0;
    int i;
    for (i = 0; i < 64; i++)
        count += bits >> i & 1;
    return count;
}
//unit sma_leading_zeros
static u64 sma_leading_zeros(u64 bits, int width)
{
    u64 count = 0;
    int i;
    for (i = 0; i < 64; i++)
        if (i < width)
            count = bits >> i & 1 ? 0 : count + 1;
    return count;
}
//unit sma_trailing_zeros
static u64 sma_trailing_zeros(u64 bits, int width)
{
    u64 count = 0;
    int i, open = 1;
    for (i = 0; i < 64; i++) {
        open = open && i < width && !(bits >> i & 1);
        count += open ? 1 : 0;
    }
    return count;
}
//unit sma_byte_swap
static u64 sma_byte_swap(u64 bits, int width)
{
    u64 swapped = 0;
    int i;
    for (i = 0; i < 64; i += 8)
        if (i < width)
            swapped |= (bits >> i & 0xff) << (width - 8 - i);
    return swapped;
}
//unit sma_havoc
static void sma_havoc(address from, unsigned long size)
{
    unsigned long i;
    for (i = 0; i < size; i++)
        from[i] = content(u8);
}
