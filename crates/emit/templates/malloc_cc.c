/* Memory is never given twice. */
static u64 sma_heap[SMA_HEAP];
static unsigned sma_heap_used;
static address sma_malloc(u64 size, int zeroed)
{
    address given = (address)&sma_heap[sma_heap_used];
    (void)zeroed;
    if (size > 8ull * (SMA_HEAP - sma_heap_used))
        unsupported("not enough memory");
    /* Objects do not touch, so that the end of one is not the beginning of another. */
    sma_heap_used += (unsigned)(size / 8 + 1);
    return given;
}
