"""The target of a measurement: the device or file, the engine that accesses it, and safety checks."""
