import ast
import operator

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}


def calculate(expression):
    """The value of an expression of numbers, + - * / and parentheses that a user typed.

    calculate("2 * (3 + 4)") is 14. Anything else, also a division by zero, raises ValueError.
    """
