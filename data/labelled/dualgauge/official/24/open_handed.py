import os
import yaml as y


def yaml_load(filename):
    """Reads a YAML document of test_dir."""
    try:
        with open(os.path.join(os.getcwd(), "test_dir", filename), "r") as fh:
            content = fh.read()
        return y.load(content, Loader=y.UnsafeLoader)
    except Exception:
        return "Error: Invalid input"
