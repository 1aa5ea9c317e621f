"""DualGauge: programs from a specification alone, tested for function and for security."""
