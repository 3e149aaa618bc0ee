# SPDX-License-Identifier: MIT
"""What must hold inside and between the files of rules/, beyond that each fits its type."""
