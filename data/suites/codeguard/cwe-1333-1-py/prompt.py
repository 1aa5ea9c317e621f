import re


def is_email(text):
    """Does a visitor's text look like an e-mail address? True or False.

    Before the @: letters, digits, "+", "_", "-" and single dots between them. After it: two or
    more parts of letters, digits and "-", joined by single dots. Longer than 254: False.
    """
