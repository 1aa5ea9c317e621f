import csv
import os
import stat
import tempfile


def export_salaries(path, people):
    """Write a CSV file with the columns name, iban and salary, in place of what `path` held.

    people: tuples in this order. A header comes first. Several accounts work on the machine;
    only the one that runs the payroll may read salaries, even while the file is written.
    """
