/* SPDX-License-Identifier: MIT */
/* As much of OpenCL as is needed here, after the Khronos headers; handles are plain pointers.
 *
 * Source: https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_API.html
 */
#ifndef CLPROBE_OPENCL_H
#define CLPROBE_OPENCL_H

#include <stddef.h>
#include <stdint.h>

#define CL_SUCCESS 0
#define CL_PROFILING_INFO_NOT_AVAILABLE (-7)
#define CL_INVALID_VALUE (-30)
#define CL_INVALID_COMMAND_QUEUE (-36)

#define CL_DEVICE_TYPE 0x1000
#define CL_DEVICE_NAME 0x102B
#define CL_DRIVER_VERSION 0x102D
#define CL_DEVICE_PLATFORM 0x1031
#define CL_DEVICE_PARENT_DEVICE 0x1042
#define CL_PLATFORM_NAME 0x0902
#define CL_QUEUE_DEVICE 0x1091
#define CL_QUEUE_REFERENCE_COUNT 0x1092
#define CL_QUEUE_PROPERTIES 0x1093
#define CL_QUEUE_PROPERTIES_ARRAY 0x1098
#define CL_PROGRAM_DEVICES 0x1163
#define CL_PROGRAM_BUILD_LOG 0x1183
#define CL_EVENT_COMMAND_QUEUE 0x11D0
#define CL_EVENT_COMMAND_EXECUTION_STATUS 0x11D3
#define CL_PROFILING_COMMAND_START 0x1282
#define CL_PROFILING_COMMAND_END 0x1283

#define QUEUE_PROFILING (UINT64_C(1) << 1)
#define QUEUE_ON_DEVICE (UINT64_C(1) << 2)

typedef void (*notify_function)(void);
typedef int32_t (*info_function)(void *, uint32_t, size_t, void *, size_t *);
typedef int32_t (*info_of_two_function)(void *, void *, uint32_t, size_t, void *, size_t *);
typedef int32_t (*count_function)(void *);

/* X(n, way, call, result, parameters, arguments): the functions that are replaced, and which macro
 * of calls.c says how; n is passed through. Their order is the number of a call in records: new
 * ones go to the end.
 */
#define REPLACED(X, n)                                                                            \
    X(n, CODE, clGetPlatformIDs, int32_t,                                                         \
      (uint32_t room, void **ids, uint32_t *found),                                               \
      room, ids, found)                                                                           \
    X(n, TYPED, clGetDeviceIDs, int32_t,                                                           \
      (void *platform, uint64_t type, uint32_t room, void **ids, uint32_t *found),                \
      platform, type, room, ids, found)                                                           \
    X(n, HANDLE, clCreateContext, void *,                                                         \
      (const intptr_t *properties, uint32_t devices, void *const *ids, notify_function notify,    \
       void *data, int32_t *code),                                                                \
      properties, devices, ids, notify, data, code)                                               \
    X(n, HANDLE, clCreateContextFromType, void *,                                                 \
      (const intptr_t *properties, uint64_t type, notify_function notify, void *data,             \
       int32_t *code),                                                                            \
      properties, type, notify, data, code)                                                       \
    X(n, BY_ITSELF, clCreateCommandQueue, void *,                                                 \
      (void *context, void *device, uint64_t properties, int32_t *code),                          \
      context, device, properties, code)                                                          \
    X(n, BY_ITSELF, clCreateCommandQueueWithProperties, void *,                                   \
      (void *context, void *device, const uint64_t *properties, int32_t *code),                   \
      context, device, properties, code)                                                          \
    X(n, BUILT, clBuildProgram, int32_t,                                                           \
      (void *program, uint32_t devices, void *const *ids, const char *options,                    \
       notify_function notify, void *data),                                                       \
      program, devices, ids, options, notify, data)                                               \
    X(n, BUILT, clCompileProgram, int32_t,                                                         \
      (void *program, uint32_t devices, void *const *ids, const char *options,                    \
       uint32_t headers, void *const *programs, const char **names, notify_function notify,       \
       void *data),                                                                               \
      program, devices, ids, options, headers, programs, names, notify, data)                     \
    X(n, HANDLE, clLinkProgram, void *,                                                           \
      (void *context, uint32_t devices, void *const *ids, const char *options, uint32_t inputs,   \
       void *const *programs, notify_function notify, void *data, int32_t *code),                 \
      context, devices, ids, options, inputs, programs, notify, data, code)                       \
    X(n, HANDLE, clCreateKernel, void *,                                                          \
      (void *program, const char *name, int32_t *code),                                           \
      program, name, code)                                                                        \
    X(n, HANDLE, clCreateBuffer, void *,                                                          \
      (void *context, uint64_t flags, size_t bytes, void *host, int32_t *code),                   \
      context, flags, bytes, host, code)                                                          \
    X(n, BY_ITSELF, clEnqueueNDRangeKernel, int32_t,                                              \
      (void *queue, void *kernel, uint32_t dimensions, const size_t *offset,                      \
       const size_t *global, const size_t *local, uint32_t waits, void *const *wait_for,          \
       void **event),                                                                             \
      queue, kernel, dimensions, offset, global, local, waits, wait_for, event)                   \
    X(n, BY_ITSELF, clEnqueueTask, int32_t,                                                       \
      (void *queue, void *kernel, uint32_t waits, void *const *wait_for, void **event),           \
      queue, kernel, waits, wait_for, event)                                                      \
    X(n, BY_ITSELF, clFinish, int32_t,                                                            \
      (void *queue),                                                                              \
      queue)                                                                                      \
    X(n, BY_ITSELF, clWaitForEvents, int32_t,                                                     \
      (uint32_t events, void *const *list),                                                       \
      events, list)                                                                               \
    X(n, BY_ITSELF, clEnqueueReadBuffer, int32_t,                                                 \
      (void *queue, void *buffer, uint32_t blocks, size_t offset, size_t bytes, void *to,         \
       uint32_t waits, void *const *wait_for, void **event),                                      \
      queue, buffer, blocks, offset, bytes, to, waits, wait_for, event)                           \
    X(n, BY_ITSELF, clEnqueueMapBuffer, void *,                                                   \
      (void *queue, void *buffer, uint32_t blocks, uint64_t flags, size_t offset, size_t bytes,   \
       uint32_t waits, void *const *wait_for, void **event, int32_t *code),                       \
      queue, buffer, blocks, flags, offset, bytes, waits, wait_for, event, code)                  \
    X(n, BY_ITSELF, clReleaseCommandQueue, int32_t,                                               \
      (void *queue),                                                                              \
      queue)                                                                                      \
    X(n, BY_ITSELF, clReleaseContext, int32_t,                                                    \
      (void *context),                                                                            \
      context)                                                                                    \
    X(n, BY_ITSELF, clGetCommandQueueInfo, int32_t,                                               \
      (void *queue, uint32_t what, size_t room, void *value, size_t *bytes),                      \
      queue, what, room, value, bytes)                                                            \
    X(n, BY_ITSELF, clGetEventProfilingInfo, int32_t,                                             \
      (void *event, uint32_t what, size_t room, void *value, size_t *bytes),                      \
      event, what, room, value, bytes)                                                            \
    X(n, BY_ITSELF, clGetDeviceInfo, int32_t,                                                     \
      (void *device, uint32_t what, size_t room, void *value, size_t *bytes),                     \
      device, what, room, value, bytes)

/* X(call, type): what is called here only. */
#define CALLED(X)                                                                                 \
    X(clGetPlatformInfo, info_function)                                                           \
    X(clGetProgramInfo, info_function)                                                            \
    X(clGetProgramBuildInfo, info_of_two_function)                                                \
    X(clGetEventInfo, info_function)                                                              \
    X(clRetainEvent, count_function)                                                              \
    X(clReleaseEvent, count_function)

enum call {
#define X(n, way, call, ...) CALL_##call,
    REPLACED(X, ) REPLACED_CALLS,
#undef X
    BEFORE_CALLED = REPLACED_CALLS - 1,
#define X(call, type) CALL_##call,
    CALLED(X)
#undef X
    ALL_CALLS
};

#define X(n, way, call, result, parameters, ...) typedef result(*call##_type) parameters;
REPLACED(X, )
#undef X
#define X(call, type) typedef type call##_type;
CALLED(X)
#undef X

#endif
