/* SPDX-License-Identifier: MIT */
/* The functions of OpenCL that these tests call: X(result, name, parameters, arguments). */
#include <stddef.h>
#include <stdint.h>

#define FUNCTIONS(X)                                                                              \
    X(int, clGetPlatformIDs, (unsigned a, void **b, unsigned *c), (a, b, c))                      \
    X(int, clGetPlatformInfo,                                                                     \
      (void *a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e))                       \
    X(int, clGetDeviceIDs,                                                                        \
      (void *a, uint64_t b, unsigned c, void **d, unsigned *e), (a, b, c, d, e))                  \
    X(void *, clCreateContext,                                                                    \
      (const intptr_t *a, unsigned b, void **c, void *d, void *e, int *f), (a, b, c, d, e, f))    \
    X(void *, clCreateCommandQueue, (void *a, void *b, uint64_t c, int *d), (a, b, c, d))         \
    X(void *, clCreateCommandQueueWithProperties,                                                 \
      (void *a, void *b, const uint64_t *c, int *d), (a, b, c, d))                                \
    X(void *, clCreateProgramWithSource,                                                          \
      (void *a, unsigned b, const char **c, const size_t *d, int *e), (a, b, c, d, e))            \
    X(int, clBuildProgram,                                                                        \
      (void *a, unsigned b, void **c, const char *d, void *e, void *f), (a, b, c, d, e, f))       \
    X(void *, clCreateKernel, (void *a, const char *b, int *c), (a, b, c))                        \
    X(void *, clCreateBuffer, (void *a, uint64_t b, size_t c, void *d, int *e), (a, b, c, d, e))  \
    X(int, clSetKernelArg, (void *a, unsigned b, size_t c, const void *d), (a, b, c, d))          \
    X(int, clEnqueueNDRangeKernel,                                                                \
      (void *a, void *b, unsigned c, const size_t *d, const size_t *e, const size_t *f,           \
       unsigned g, void **h, void **i), (a, b, c, d, e, f, g, h, i))                              \
    X(int, clEnqueueTask, (void *a, void *b, unsigned c, void **d, void **e), (a, b, c, d, e))    \
    X(int, clFinish, (void *a), (a))                                                              \
    X(int, clWaitForEvents, (unsigned a, void **b), (a, b))                                       \
    X(int, clGetCommandQueueInfo,                                                                 \
      (void *a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e))                       \
    X(int, clGetEventInfo, (void *a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e))  \
    X(int, clGetEventProfilingInfo,                                                               \
      (void *a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e))                       \
    X(int, clReleaseEvent, (void *a), (a))                                                        \
    X(int, clReleaseCommandQueue, (void *a), (a))                                                 \
    X(int, clReleaseContext, (void *a), (a))

/* What wrappers within programs leave out. */
#define MORE_FUNCTIONS(X)                                                                         \
    X(int, clGetDeviceInfo, (void *a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e)) \
    X(int, clRetainEvent, (void *a), (a))
