/* The floating-point functions that a few lines of C can compute exactly. */
#include <math.h>

double fabs(double x) {
    return x < 0 ? -x : x + 0.0;
}

float fabsf(float x) {
    return x < 0 ? -x : x + 0.0f;
}

double fmax(double x, double y) {
    return x != x || x < y ? y : x;
}

double fmin(double x, double y) {
    return x != x || x > y ? y : x;
}

/* From 2^52 on every double is an integer. */
double trunc(double x) {
    return x > -0x1p52 && x < 0x1p52 ? (double)(long long)x : x;
}

double floor(double x) {
    double whole = trunc(x);
    return whole > x ? whole - 1 : whole;
}

double ceil(double x) {
    double whole = trunc(x);
    return whole < x ? whole + 1 : whole;
}
