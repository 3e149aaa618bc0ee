# SPDX-License-Identifier: MIT
"""Operations on arrays, each with its gradient beside it; one module per folder of kernels/."""
