
/* Nothing is known about this function: reaching a call makes the verdict unknown. */
void norn_not_supported(const char *text);
#define unsupported(text) norn_not_supported(text)
