import os
import tarfile


def unpack(archive, target):
    """Unpack the tar file `archive` (a path) into the folder `target`, which is made if needed.

    Return the sorted names of the members that were unpacked. Members that would be written
    outside of `target` are left out or make the call raise ValueError. Runs with Python 3.11.2,
    whose tarfile has no extraction filters.
    """
    os.makedirs(target, exist_ok=True)
