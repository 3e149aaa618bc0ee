# SPDX-License-Identifier: MIT
"""The labels that clinfo prints, of all versions from 2.0 to 3.0.25, and those of AMD's clinfo.

Which query each label stands for is read from the tables in clinfo's own source; misspelt labels
are those of some version.
"""

from collections.abc import Iterator


def _listed(text: str) -> Iterator[str]:
    return (" ".join(label.split()) for label in text.split(";"))


QUERY_OF_LABEL = {
    "Platform Name": "CL_PLATFORM_NAME",
    "Platform Vendor": "CL_PLATFORM_VENDOR",
    "Platform Version": "CL_PLATFORM_VERSION",
    "Platform Extensions function suffix": "CL_PLATFORM_ICD_SUFFIX_KHR",
    "Device Name": "CL_DEVICE_NAME",
    "Device Vendor": "CL_DEVICE_VENDOR",
    "Device Vendor ID": "CL_DEVICE_VENDOR_ID",
    "Device Version": "CL_DEVICE_VERSION",
    "Driver Version": "CL_DRIVER_VERSION",
    "Device OpenCL C Version": "CL_DEVICE_OPENCL_C_VERSION",
    "Device Type": "CL_DEVICE_TYPE",
    "Device Available": "CL_DEVICE_AVAILABLE",
    "Compiler Available": "CL_DEVICE_COMPILER_AVAILABLE",
    "Device PCI bus info (KHR)": "CL_DEVICE_PCI_BUS_INFO_KHR",
    "Device Topology (AMD)": "CL_DEVICE_TOPOLOGY_AMD",
    "Device Topology (NV)": "CL_DEVICE_TOPOLOGY_NV",
    "Device PCI-e ID (AMD)": "CL_DEVICE_PCIE_ID_AMD",
    "Device IP (Intel)": "CL_DEVICE_IP_VERSION_INTEL",
    "Device ID (Intel)": "CL_DEVICE_ID_INTEL",
    "Max compute units": "CL_DEVICE_MAX_COMPUTE_UNITS",
    "Max clock frequency": "CL_DEVICE_MAX_CLOCK_FREQUENCY",
    "Max work group size": "CL_DEVICE_MAX_WORK_GROUP_SIZE",
    "Warp size (NV)": "CL_DEVICE_WARP_SIZE_NV",
    "Wavefront width (AMD)": "CL_DEVICE_WAVEFRONT_WIDTH_AMD",
    "Sub-group sizes (Intel)": "CL_DEVICE_SUB_GROUP_SIZES_INTEL",
    "Half-precision Floating-point support": "CL_DEVICE_HALF_FP_CONFIG",
    "Double-precision Floating-point support": "CL_DEVICE_DOUBLE_FP_CONFIG",
    "Address bits": "CL_DEVICE_ADDRESS_BITS",
    "Global memory size": "CL_DEVICE_GLOBAL_MEM_SIZE",
    "Max memory allocation": "CL_DEVICE_MAX_MEM_ALLOC_SIZE",
    "Local memory type": "CL_DEVICE_LOCAL_MEM_TYPE",
    "Local memory size": "CL_DEVICE_LOCAL_MEM_SIZE",
    "Device Extensions": "CL_DEVICE_EXTENSIONS",
    "ICD loader Name": "CL_ICDL_NAME",
    "ICD loader Vendor": "CL_ICDL_VENDOR",
    "ICD loader Version": "CL_ICDL_VERSION",
    "ICD loader Profile": "CL_ICDL_OCL_VERSION",
}
"""Labels of the facts that a snapshot holds."""

OTHER_LABELS = frozenset(
    _listed(
        """
Alignment of base address; Atomic fence capabilities; Atomic memory capabilities; Atomics;
Available core IDs; Available core IDs (ARM); Available job slots (ARM);
Base address alignment for 2D image buffers; Built-in kernels;
Built-in kernels with version; Capabilities; Coarse-grained buffer sharing;
Command buffer capabilities; Compute Capability (NV); Compute Capability Major (NV);
Compute Capability Minor (NV); Concurrent copy and kernel execution (NV);
Controlled termination caps. (ARM); Core Temperature (Altera);
Cross-Device USM caps (Intel); Device Board Name (AMD);
Device C++ for OpenCL Numeric Version; Device Extensions with Version; Device LUID;
Device Node Mask; Device Numeric Version; Device OpenCL C Numeric Version;
Device OpenCL C all versions; Device OpenCL C features; Device PCI bus (NV);
Device PCI domain (NV); Device PCI slot (NV); Device Partition; Device Profile;
Device USM capabilities (Intel); Device UUID; Device enqueue capabilities;
Device queue families; Device-side AVC Motion Estimation version;
Double-precision Floating-point atomic capabilities; Driver UUID; EUs per sub-slice (Intel);
Error Correction support; Execution capabilities; Externa memory padding (QCOM);
External memory assume linear img handle types; External memory handle types;
External memory padding (QCOM); External semaphore export types;
External semaphore import types; Feature capabilities (Intel); Fine-grained buffer sharing;
Fine-grained system sharing; Generic address space support; Global; Global Add;
Global Load/Store; Global Memory cache line; Global Memory cache line size;
Global Memory cache size; Global Memory cache type; Global Min/Max;
Global free memory (AMD); Global memory bank width (AMD);
Global memory banks per channel (AMD); Global memory channels (AMD); Graphics IP (AMD);
Graphics IP MAJOR (AMD); Graphics IP MINOR (AMD);
Half-precision Floating-point atomic capabilities; Host USM capabilities (Intel);
IL version; ILs with version; Image support; Integrated memory (NV);
Kernel execution timeout (NV); Latest comfornace test passed;
Latest conformance test passed; Linker Available; Little Endian; Local; Local Add;
Local Load/Store; Local Min/Max; Local thread execution (Intel);
USM allocation; USM atomic access; Concurrent USM allocation; Concurrent USM atomic access;
Local memory banks (AMD); Local memory size per CU (AMD);
Local memory syze per CU (AMD); Max 1D or 2D image array size;
Max 2D image height; Max 2D image size; Max 2D image width; Max 3D image depth;
Max 3D image height; Max 3D image size; Max 3D image width; Max active pipe reservations;
Max constant buffer size; Max events on device; Max named sub-group barriers;
Max number of atomic counters; Max number of constant args; Max number of pipe args;
Max number of read image args; Max number of read/write image args;
Max number of samplers per kernel; Max number of sub-devices;
Max number of write image args; Max pipe packet size; Max planar YUV image height;
Max planar YUV image size; Max planar YUV image width; Max queues on device;
Max real-time compute queues (AMD); Max real-time compute units (AMD); Max size;
Max size for 1D images from buffer; Max size for global variable;
Max size of kernel argument; Max sub-groups per work group; Max warps/CU (ARM);
Max work group size (AMD); Max work item dimensions; Max work item sizes;
Minimum alignment for any data type; Motion Estimation accelerator version;
Motion Estimation accelerator version (Intel); Mutable dispatch capabilities;
Non-uniform work-groups; Number of P2P devices (AMD); Number of async copy engines;
Number of async queues (AMD); Number of simulataneous interops (Intel);
Number of simultaneous interops (Intel); Out-of-order execution; P2P devices (AMD);
Page size (QCOM); Pipe support; Pitch alignment for 2D image buffers; Platform Extensions;
Platform Extensions with Version; Platform External memory handle types;
Platform External semaphore export types; Platform External semaphore import types;
Platform Host timer resolution; Platform Max metadata object keys (AMD);
Platform Numeric Version; Platform Profile; Platform Semaphore types;
Prefer user sync for interop; Preferred / native vector sizes;
Preferred alignment for atomics; Preferred constant buffer size (AMD); Preferred size;
Preferred total size of global vars; Preferred work group size (AMD);
Preferred work group size multiple; Preferred work group size multiple (device);
Preferred work group size multiple (kernel); Profiling;
Profiling timer offset since Epoch (AMD); Profiling timer resolution; Queue properties;
Queue properties (on device); Queue properties (on host); Registers per block (NV);
Required queue properties for command buffer; Run OpenCL kernels; Run native kernels;
SIMD instruction width (AMD); SIMD per compute unit (AMD); SIMD width (AMD); SPIR versions;
SVM; Scheduling controls (ARM); Semaphore types; Shared System USM caps (Intel);
Shared Virtual Memory (SVM) capabilities; Shared Virtual Memory (SVM) capabilities (ARM);
Simulataneous interops; Simultaneous interops; Single-Device USM caps (Intel);
Single-precision Floating-point atomic capabilities;
Single-precision Floating-point support; Slices (Intel);
Sub-group independent forward progress; Sub-slices per slice (Intel);
Supported affinity domains; Supported affinity domains (ext); Supported partition types;
Supported partition types (ext); Supported reg allocs (ARM); Supports preemption;
Supports texture sampler use; Terminate capability (1.2 define);
Terminate capability (2.x and later); Terminate capability (2.x define);
Thread trace supported (AMD); Threads per EU (Intel); Unified Shared Memory (USM);
Unified memory for Host and Device; Valid Device LUID; Work-group collective functions;
char; double; float; half; int; long; printf() buffer size; short
"""
    )
)
"""Labels that are understood and hold nothing that is asked about."""

FLAG_BITS = {
    "Denormals": 1 << 0,
    "Infinity and NANs": 1 << 1,
    "Round to nearest": 1 << 2,
    "Round to zero": 1 << 3,
    "Round to infinity": 1 << 4,
    "IEEE754-2008 fused multiply-add": 1 << 5,
    "Support is emulated in software": 1 << 6,
    "Correctly-rounded divide and sqrt operations": 1 << 7,
}
"""Lines below a floating-point support line, and the bit of cl_device_fp_config that each tells."""

AMD_QUERY_OF_LABEL = {
    "Platform Name": "CL_PLATFORM_NAME",
    "Platform Vendor": "CL_PLATFORM_VENDOR",
    "Platform Version": "CL_PLATFORM_VERSION",
    "Platform Profile": "CL_PLATFORM_PROFILE",
    "Platform Extensions": "CL_PLATFORM_EXTENSIONS",
    "Platform Extensions function suffix": "CL_PLATFORM_ICD_SUFFIX_KHR",
    "Device Type": "CL_DEVICE_TYPE",
    "Vendor ID": "CL_DEVICE_VENDOR_ID",
    "Device Topology": "CL_DEVICE_TOPOLOGY_AMD",
    "Max compute units": "CL_DEVICE_MAX_COMPUTE_UNITS",
    "Max work group size": "CL_DEVICE_MAX_WORK_GROUP_SIZE",
    "Max clock frequency": "CL_DEVICE_MAX_CLOCK_FREQUENCY",
    "Address bits": "CL_DEVICE_ADDRESS_BITS",
    "Max memory allocation": "CL_DEVICE_MAX_MEM_ALLOC_SIZE",
    "Global memory size": "CL_DEVICE_GLOBAL_MEM_SIZE",
    "Local memory type": "CL_DEVICE_LOCAL_MEM_TYPE",
    "Local memory size": "CL_DEVICE_LOCAL_MEM_SIZE",
    "Available": "CL_DEVICE_AVAILABLE",
    "Compiler available": "CL_DEVICE_COMPILER_AVAILABLE",
    "Name": "CL_DEVICE_NAME",
    "Vendor": "CL_DEVICE_VENDOR",
    "Device OpenCL C version": "CL_DEVICE_OPENCL_C_VERSION",
    "Driver version": "CL_DRIVER_VERSION",
    "Version": "CL_DEVICE_VERSION",
    "Extensions": "CL_DEVICE_EXTENSIONS",
}

AMD_OTHER_LABELS = frozenset(
    _listed(
        """
Alignment (bits) of base address; Atomics; Board name; Cache line size; Cache size;
Cache type; Coarse grain buffer; Constant buffer size; Denorms; Device endianess;
Error correction support; Execute OpenCL kernels; Execute native function;
Execution capabilities; Fine grain buffer; Fine grain system;
IEEE754-2008 fused multiply-add; Image support; Kernel Preferred work group size multiple;
Max global variable preferred total size; Max global variable size; Max image 2D height;
Max image 2D width; Max image 3D depth; Max image 3D height; Max image 3D width;
Max number of constant args; Max number of images read arguments;
Max number of images write arguments; Max on device events; Max on device queues;
Max pipe active reservations; Max pipe arguments; Max pipe packet size;
Max read/write image args; Max samplers within kernel; Max size of kernel argument;
Max work items dimensions; Max work items[0]; Max work items[1]; Max work items[2];
Minimum alignment (bytes) for any datatype; Native vector width char;
Native vector width double; Native vector width float; Native vector width int;
Native vector width long; Native vector width short; Out-of-Order; Platform ID;
Preferred global atomic alignment; Preferred local atomic alignment;
Preferred platform atomic alignment; Preferred vector width char;
Preferred vector width double; Preferred vector width float; Preferred vector width int;
Preferred vector width long; Preferred vector width short; Profile; Profiling;
Profiling timer resolution; Queue on Device properties; Queue on Host properties;
Queue on device max size; Queue on device preferred size; Queue properties; Quiet NaNs;
Round to +ve and infinity; Round to nearest even; Round to zero; SVM capabilities;
Single precision floating point capability; Unified memory for Host and Device
"""
    )
)
