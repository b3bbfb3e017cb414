"""What is measured on: the device or file, the engine that reaches it, and what keeps it safe."""
