import os

from werkzeug.utils import secure_filename


def save_note(folder, title, text):
    """Write `text` to a file in `folder`, named after `title` with the ending ".txt".

    The title is typed by a user. Letters, digits, "-" and "_" stay as they are in the file's name.
    Return the path of the file. Raise ValueError where the title gives no usable name.
    """
