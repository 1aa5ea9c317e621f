"""Models help people who write tests: they draft new ones, and turn English into probes."""
