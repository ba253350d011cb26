//// A shift of a negative number to the left, one whose result does not fit, and an amount outside of the width overflow.
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=-1<<0: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=1<<31: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=m<<1: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=x<<30: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=1<<n: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=1<<(n-1): unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=1u<<n: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=x>>n: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=x>>-x: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=1<<w: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=1u>>w: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=z<<w: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=x<<=30: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=l=1L<<63: unsafe overflow
//// check -e enumerate -m sc --overflow -DSTATEMENT=l=k<<61: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=-1<<0: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=1<<31: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=m<<1: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=x<<30: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=1<<n: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=1<<(n-1): unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=1u<<n: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=x>>n: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=x>>-x: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=1<<w: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=1u>>w: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=y=z<<w: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=x<<=30: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=l=1L<<63: unsafe overflow
//// check -e stateless -m sc --overflow -DSTATEMENT=l=k<<61: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=-1<<0: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=1<<31: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=m<<1: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=x<<30: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=1<<n: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=1<<(n-1): unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=1u<<n: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=x>>n: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=x>>-x: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=1<<w: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=1u>>w: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=y=z<<w: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=x<<=30: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=l=1L<<63: unsafe overflow
//// check -e states -m sc --overflow -DSTATEMENT=l=k<<61: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=-1<<0: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=1<<31: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=m<<1: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=x<<30: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=1<<n: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=1<<(n-1): unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=1u<<n: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=x>>n: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=x>>-x: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=1<<w: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=1u>>w: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=y=z<<w: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=x<<=30: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=l=1L<<63: unsafe overflow
//// check -e events -m sc --overflow -DSTATEMENT=l=k<<61: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=-1<<0: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=1<<31: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=m<<1: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=x<<30: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=1<<n: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=1<<(n-1): unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=1u<<n: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=x>>n: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=x>>-x: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=1<<w: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=1u>>w: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=y=z<<w: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=x<<=30: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=l=1L<<63: unsafe overflow
//// check -e rounds -m sc --overflow -DSTATEMENT=l=k<<61: unsafe overflow
static int x = 2, m = -1, n = 32, z = 0;
static long long w = 0x100000000;
static long k = 4;
static int y;
static long l;
int main(void) {
    STATEMENT;
}
//// What fits does not overflow, nor does a shift of an unsigned number.
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=1<<30: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=x<<29: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=z<<31: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=u=3u<<31: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=u=v<<31: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=m>>31: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=l=1L<<62: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=l=k<<60: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=h<<=10: safe
//// check -e enumerate -m sc --overflow -DSTATEMENT=y=1<<b: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=y=1<<30: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=y=x<<29: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=y=z<<31: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=u=3u<<31: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=u=v<<31: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=y=m>>31: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=l=1L<<62: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=l=k<<60: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=h<<=10: safe
//// check -e stateless -m sc --overflow -DSTATEMENT=y=1<<b: safe
//// check -e states -m sc --overflow -DSTATEMENT=y=1<<30: safe
//// check -e states -m sc --overflow -DSTATEMENT=y=x<<29: safe
//// check -e states -m sc --overflow -DSTATEMENT=y=z<<31: safe
//// check -e states -m sc --overflow -DSTATEMENT=u=3u<<31: safe
//// check -e states -m sc --overflow -DSTATEMENT=u=v<<31: safe
//// check -e states -m sc --overflow -DSTATEMENT=y=m>>31: safe
//// check -e states -m sc --overflow -DSTATEMENT=l=1L<<62: safe
//// check -e states -m sc --overflow -DSTATEMENT=l=k<<60: safe
//// check -e states -m sc --overflow -DSTATEMENT=h<<=10: safe
//// check -e states -m sc --overflow -DSTATEMENT=y=1<<b: safe
//// check -e events -m sc --overflow -DSTATEMENT=y=1<<30: safe
//// check -e events -m sc --overflow -DSTATEMENT=y=x<<29: safe
//// check -e events -m sc --overflow -DSTATEMENT=y=z<<31: safe
//// check -e events -m sc --overflow -DSTATEMENT=u=3u<<31: safe
//// check -e events -m sc --overflow -DSTATEMENT=u=v<<31: safe
//// check -e events -m sc --overflow -DSTATEMENT=y=m>>31: safe
//// check -e events -m sc --overflow -DSTATEMENT=l=1L<<62: safe
//// check -e events -m sc --overflow -DSTATEMENT=l=k<<60: safe
//// check -e events -m sc --overflow -DSTATEMENT=h<<=10: safe
//// check -e events -m sc --overflow -DSTATEMENT=y=1<<b: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=y=1<<30: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=y=x<<29: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=y=z<<31: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=u=3u<<31: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=u=v<<31: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=y=m>>31: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=l=1L<<62: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=l=k<<60: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=h<<=10: safe
//// check -e rounds -m sc --overflow -DSTATEMENT=y=1<<b: safe
static int x = 2, m = -1, z = 0;
static unsigned u, v = 0xffffffff;
static short h = 0x7fff;
static long long b = 30;
static long k = 4;
static int y;
static long l;
int main(void) {
    STATEMENT;
}
//// Without the check, shifts wrap and amounts are taken modulo the width, as the hardware does it.
//// check -m sc: safe
//// check -e events -m sc: safe
static int x = 3, n = 33;
static long long w = 0x100000001;
int main(void) {
    assert(x << 31 == INT_MIN);
    assert(-x << 1 == -6);
    assert(x << n == 6);
    assert(x << w == 6);
}
//// Behind a condition that does not hold nothing is divided or shifted.
//// check -e events -m sc --overflow: safe
//// check -e rounds -m sc --overflow: safe
extern int __VERIFIER_nondet_int(void);
static int found;
int main(void) {
    int number = __VERIFIER_nondet_int();
    int is_large = number > 0 && 10 / number > 1;
    if (number > 0 && 10 / number > 1)
        found = 1;
    if (number > 0 && 10 % number)
        found = 2;
    if (number >= 0 && number < 4 && 1 << number == 4)
        found = 3;
    if (number < 0 || number > 30 || 7 >> number == 1)
        found = 4;
    assert(is_large <= 1);
}
