"""The GPU-less device. Lives in the child only, where torch and triton are; `devices` is read by both sides."""
