// SPDX-License-Identifier: MIT
// The functions that expressions are made of, for generated kernels to include, and how those load
// and store. Where OpenCL has a function of its own (exp, sqrt …), expressions call that.
//   VALUES   what a work-item computes at once: float, or a vector of WIDTH floats
//   launch   none of its own; generated kernels take COLUMNS_PER_ITEM neighbouring columns for
//            each work-item (one vector suits GPUs, many suit CPUs) and loop over rows
//   local    none                              needs   OpenCL 1.2
//   source   none

// Floats in a vector: one load of a GPU's, a whole register of a CPU's.
#ifndef WIDTH
#define WIDTH 1
#endif
// 1 says that rows are whole vectors, so that each lies at a whole address.
#ifndef WHOLE
#define WHOLE 0
#endif
// 1 keeps what is stored out of the caches, where the compiler can: it is too large for them.
#ifndef STREAM
#define STREAM 0
#endif
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

#define JOIN_NAMES(A, B) A##B
#define JOIN(A, B) JOIN_NAMES(A, B)

#if WIDTH > 1
#define VALUES JOIN(float, WIDTH)
#if WHOLE
#define LOAD_float(ROW, COLUMN) (*(global const VALUES *)(ROW + COLUMN))
#else
#define LOAD_float(ROW, COLUMN) JOIN(vload, WIDTH)(0, ROW + COLUMN)
#endif
#define LOAD_half(ROW, COLUMN) JOIN(vload_half, WIDTH)(0, ROW + COLUMN)
#define LOAD_int(ROW, COLUMN) JOIN(convert_, VALUES)(JOIN(vload, WIDTH)(0, ROW + COLUMN))
#define FIRST(VALUE) ((VALUE).s0)
#else
#define VALUES float
#define FIRST(VALUE) (VALUE)
#endif
#define LOAD_ONE_float(ROW, COLUMN) ((VALUES)((ROW)[COLUMN]))
#define LOAD_ONE_half(ROW, COLUMN) ((VALUES)(vload_half(0, ROW + COLUMN)))
#define LOAD_ONE_int(ROW, COLUMN) ((VALUES)((float)(ROW)[COLUMN]))

#ifdef __has_builtin
#if STREAM && __has_builtin(__builtin_nontemporal_store)
#define STORE(VALUE, ROW, COLUMN)                                                                  \
    __builtin_nontemporal_store(VALUE, (global VALUES *)(ROW + COLUMN))
#endif
#endif
#if !defined(STORE) && WHOLE
#define STORE(VALUE, ROW, COLUMN) (*(global VALUES *)(ROW + COLUMN) = VALUE)
#elif !defined(STORE)
#define STORE(VALUE, ROW, COLUMN) JOIN(vstore, WIDTH)(VALUE, 0, ROW + COLUMN)
#endif

VALUES add(VALUES a, VALUES b) { return a + b; }
VALUES subtract(VALUES a, VALUES b) { return a - b; }
VALUES multiply(VALUES a, VALUES b) { return a * b; }
VALUES divide(VALUES a, VALUES b) { return a / b; }
// Half values become float when they are loaded.
VALUES unchanged(VALUES x) { return x; }
VALUES negate(VALUES x) { return -x; }

// Written so that NaN stays NaN, as in NumPy and torch.
VALUES relu(VALUES x) { return x < 0.0f ? (VALUES)(0.0f) : x; }

// The gradient of relu, from that of its output y; none at 0, as in torch.
VALUES relu_gradient(VALUES dy, VALUES y) { return y > 0.0f ? dy : (VALUES)(0.0f); }

// The gradient of a / b for b, before it is multiplied by that of the quotient.
VALUES divide_gradient(VALUES a, VALUES b) { return -a / (b * b); }

// Logistic function; exp may overflow to infinity, which gives the right 0.
VALUES sigmoid(VALUES x) { return 1.0f / (1.0f + exp(-x)); }
VALUES sigmoid_gradient(VALUES dy, VALUES y) { return dy * y * (1.0f - y); }
VALUES tanh_gradient(VALUES dy, VALUES y) { return dy * (1.0f - y * y); }
VALUES sqrt_gradient(VALUES dy, VALUES y) { return 0.5f * dy / y; }
VALUES power_gradient(VALUES dy, VALUES x, VALUES exponent) {
    return dy * exponent * pow(x, exponent - 1.0f);
}

// x·Φ(x) (Hendrycks & Gimpel 2016); erfc keeps the digits that 1 + erf loses where x is negative.
VALUES gelu(VALUES x) { return 0.5f * x * erfc(-0.70710678f * x); }
VALUES gelu_gradient(VALUES dy, VALUES x) {
    return dy * (0.5f * erfc(-0.70710678f * x) + 0.39894228f * x * exp(-0.5f * x * x));
}

// NaN wins, as in NumPy and torch; fmax would drop it. Of equal values each gets half the gradient.
VALUES larger(VALUES a, VALUES b) { return a > b || a != a ? a : b; }
VALUES smaller(VALUES a, VALUES b) { return a < b || a != a ? a : b; }
VALUES larger_gradient(VALUES dy, VALUES a, VALUES b) {
    return a > b ? dy : (a < b ? (VALUES)(0.0f) : 0.5f * dy);
}

// The gradient of |x|, 0 at 0.
VALUES fabs_gradient(VALUES dy, VALUES x) {
    return x > 0.0f ? dy : (x < 0.0f ? -dy : (VALUES)(0.0f));
}

// NaN stays NaN; the gradient passes at the bounds, as in torch.
VALUES clip(VALUES x, VALUES low, VALUES high) { return x < low ? low : (x > high ? high : x); }
VALUES clip_gradient(VALUES dy, VALUES x, VALUES low, VALUES high) {
    return x >= low && x <= high ? dy : (VALUES)(0.0f);
}
// Strictly inside the bounds, as torch's hardtanh and relu6 have it.
VALUES inside_gradient(VALUES dy, VALUES x, VALUES low, VALUES high) {
    return x > low && x < high ? dy : (VALUES)(0.0f);
}

// x·sigmoid(x) (Ramachandran, Zoph & Le 2017, "Searching for activation functions").
VALUES silu(VALUES x) { return x / (1.0f + exp(-x)); }
VALUES silu_gradient(VALUES dy, VALUES x) {
    VALUES y = 1.0f / (1.0f + exp(-x));
    return dy * y * (1.0f + x * (1.0f - y));
}

// gelu by a tanh, as the same paper approximates it.
VALUES gelu_tanh(VALUES x) {
    return 0.5f * x * (1.0f + tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}
VALUES gelu_tanh_gradient(VALUES dy, VALUES x) {
    VALUES t = tanh(0.79788456f * (x + 0.044715f * x * x * x));
    return dy * (0.5f * (1.0f + t) +
                 0.5f * x * (1.0f - t * t) * 0.79788456f * (1.0f + 0.134145f * x * x));
}

// Below 0 a share of x, of its gradient.
VALUES leaky(VALUES x, VALUES slope) { return x > 0.0f ? x : slope * x; }
VALUES leaky_gradient(VALUES dy, VALUES x, VALUES slope) { return x > 0.0f ? dy : slope * dy; }

VALUES above_gradient(VALUES dy, VALUES x, VALUES bound) {
    return x > bound ? dy : (VALUES)(0.0f);
}

// Truth is 1, falsehood 0.
VALUES choose(VALUES truth, VALUES a, VALUES b) { return truth != 0.0f ? a : b; }
VALUES is_greater(VALUES a, VALUES b) { return a > b ? (VALUES)(1.0f) : (VALUES)(0.0f); }
VALUES is_greater_or_equal(VALUES a, VALUES b) { return a >= b ? (VALUES)(1.0f) : (VALUES)(0.0f); }
VALUES is_equal(VALUES a, VALUES b) { return a == b ? (VALUES)(1.0f) : (VALUES)(0.0f); }
VALUES is_unequal(VALUES a, VALUES b) { return a != b ? (VALUES)(1.0f) : (VALUES)(0.0f); }

// A row of nothing but -infinity has no softmax; attention takes zeros there.
VALUES unless_masked(VALUES y, VALUES x) { return y != y && x == -INFINITY ? (VALUES)(0.0f) : y; }
