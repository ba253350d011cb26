/* The tables of messages that older versions of glibc have. What the messages say is not modelled. */
const char *const sys_siglist[65] = { [1 ... 64] = "a signal" };
const char *const _sys_siglist[65] = { [1 ... 64] = "a signal" };
const char *const sys_errlist[135] = { [0 ... 134] = "an error" };
const char *const _sys_errlist[135] = { [0 ... 134] = "an error" };
int sys_nerr = 135;
int _sys_nerr = 135;
