import ast
import operator


def matching(rows, condition):
    """The dicts of `rows` for which a condition holds that a visitor typed, in their order.

    condition: a comparison of columns, numbers and quoted texts, such as "price < 10", or several
    with and, or, not and parentheses. Columns are the keys of a row. Raises ValueError for what
    cannot be read and for a column that is not there.
    """
