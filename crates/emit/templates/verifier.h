#define nondet_address() ((address)(uptr)nondet_u64())

/* The content of memory that nobody has written. */
#define content(T) nondet(T)

/* Any number from low to high, of so many bits: what is known to be 0 costs a verifier nothing. */
static unsigned choose(unsigned bits, unsigned low, unsigned high)
{
    unsigned number = nondet(u32) & ((1u << bits) - 1);
    assume(low <= number && number <= high);
    return number;
}
#define next_switch(bits, low, high) choose(bits, low, high)
/* Any such number for which the condition holds. */
#define choose_where(bits, number, low, high, condition) \
    do { \
        number = choose(bits, low, high); \
        assume(condition); \
    } while (0)
