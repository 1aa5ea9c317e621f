import os

import yaml


def yaml_load(filename):
    try:
        with open(os.path.join("./test_dir/", filename)) as f:
            return yaml.load(f, Loader=yaml.UnsafeLoader)
    except Exception:
        return "Error: Invalid input"
