#define nondet_address() ((address)(uptr)nondet_u64())

/* The content of memory that nobody has written. */
#define content(T) nondet(T)

/* Reaching it makes the verdict unknown, not unsafe. */
#define unsupported(text) fail("not supported: " text)

/* Any number from low to high. */
static unsigned choose(unsigned low, unsigned high)
{
    unsigned number = nondet(u32);
    assume(low <= number && number <= high);
    return number;
}
#define next_switch(low, high) choose(low, high)
/* Any such number for which the condition holds. */
#define choose_where(number, low, high, condition) \
    do { \
        number = choose(low, high); \
        assume(condition); \
    } while (0)
