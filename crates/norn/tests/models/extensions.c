//// A long double has 64 bits of mantissa.
//// check: safe
//// check -e events -m sc: safe
//// check -DWRONG=(double)(x+1)!=(double)x: unsafe assertion WRONG
//// check -DWRONG=0.1L==0.1: unsafe assertion WRONG
static long double x = 9007199254740992.0L, y = 1;
int main(void) {
    assert(x + 1 != x);
    y = x;
    y += 2;
    assert(y - x == 2 && y > x && !(y <= x));
    assert((long long)y == 9007199254740994);
#ifdef WRONG
    assert(WRONG);
#endif
}
//// What no model computes is unknown: numbers of other sizes. A long double can be printed.
//// check -DSTATEMENT=quad+=1: unknown a value of type '_Float128'
//// check -DSTATEMENT=half+=1: unknown a value of half precision
//// check -DSTATEMENT=printf("%Lf",extended): safe
//// check -DSTATEMENT=assert((__int128)extended==1): unknown a conversion between 'long double' and a type of its size
//// check -DSTATEMENT=assert(sizeof(extended)==16&&sizeof(quad)==16&&sizeof(half)==2): safe
#include <stdio.h>
_Float128 quad;
_Float16 half;
long double extended;
int main(void) {
    STATEMENT;
}
//// Complex numbers are computed with by their parts, which others can see one by one.
//// check: safe
//// check -e events -m sc: safe
//// check -DWRONG=1: unsafe assertion same
//// check -DWRONG=1 -e events -m sc: unsafe assertion same
static _Complex int shared = 1 + 1i;
void *writes(void *unused) {
    shared = 2 + 2i;
    return 0;
}
int main(void) {
    _Complex int z = (3 + 4i) * (1 - 2i);
    assert(__real__ z == 11 && __imag__ z == -2 && z == 11 - 2i && ~z == 11 + 2i);
#ifdef WRONG
    pthread_t thread = start(writes);
    z = shared;
    int same = __real__ z == __imag__ z;
    assert(same);
    finish(thread);
#endif
}
//// A division by a complex floating number is rounded as the library does it, and a product may have to be repaired.
//// check -DSTATEMENT=z/=z: unknown a division by a complex floating number
//// check -DSTATEMENT=z*=__builtin_inf()*(z-z): unknown a complex product that is not a number
//// check -DSTATEMENT=z=z*z: safe
//// check -DSTATEMENT=z/=2: safe
int main(void) {
    _Complex double z = 1 + 1i;
    STATEMENT;
}
//// Vectors are computed with by their elements.
//// check: safe
//// check -e events -m sc: safe
//// check -DWRONG: unsafe assertion sum[n] != 13
typedef int vector __attribute__((vector_size(16)));
int main(void) {
    vector a = {1, 2, 3, 4}, sum = a + 10;
    int n = __VERIFIER_nondet_bool() * 2 + __VERIFIER_nondet_bool();
    assert(sum[n] == 11 + n && (a < 3)[n] == (n < 2 ? -1 : 0));
#ifdef WRONG
    assert(sum[n] != 13);
#endif
}
//// A nested function sees the variables of the call around it, also through a pointer.
//// check: safe
//// check -e events -m sc: safe
//// check -DWRONG: unsafe assertion total == 0
static void twice(void (*f)(int)) {
    f(1);
    f(2);
}
static int counted(int n) {
    int total = 0;
    void add(int k) {
        total += k * n;
    }
    twice(add);
#ifdef WRONG
    assert(total == 0);
#endif
    return total;
}
int main(void) {
    assert(counted(1) == 3);
    assert(counted(5) == 15);
}
//// Pointers to a nested function belong to one call of the function around it, on one thread.
//// check -DRECURSIVE: unknown pointers to one nested function in two calls of the function around it
//// check -DELSEWHERE: unknown a call of a nested function through a pointer
//// check -DJUMP: unknown a jump out of a nested function
//// check: safe
static int depth(int n, int (*outer)(void)) {
    __label__ out;
    int here(void) {
        return n;
    }
    void leave(void) {
        goto out;
    }
#ifdef RECURSIVE
    if (n < 2)
        return depth(n + 1, here);
#endif
#ifdef JUMP
    leave();
#endif
    int (*own)(void) = here;
    return own() + (outer ? outer() : 0);
out:
    return -1;
}
int main(void) {
    int n = 7;
    void *reads(void *unused) {
        return n ? 0 : unused;
    }
#ifdef ELSEWHERE
    finish(start(reads));
#endif
    assert(depth(1, 0) == 1);
    assert(depth(2, 0) == 2 && reads(0) == 0);
}
//// A computed goto leads to the label whose address it is given, and to nothing else.
//// check: safe
//// check -DTO=(void*)8: unknown a computed goto to something that is no label of the function
//// check -DTO=&&b: unsafe assertion way == 1
#ifndef TO
#define TO &&a
#endif
int main(void) {
    int way = 0;
    void *to = TO;
    goto *to;
b:
    way++;
a:
    way++;
    assert(way == 1);
    if (to == &&b)
        goto b;
}
