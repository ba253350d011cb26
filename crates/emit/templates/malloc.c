void *malloc(uptr size);
void *calloc(uptr count, uptr size);
static address sma_malloc(u64 size, int zeroed)
{
    return zeroed ? calloc(1, (uptr)size) : malloc((uptr)size);
}
