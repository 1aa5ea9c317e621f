import os
import uuid

WEB = "htdocs"  # the web server runs what ends in .php or .phtml
ALLOWED = {"png", "jpg", "gif"}


def keep_picture(filename, data):
    """Keep the bytes of a picture in the folder WEB and return the name of the file there.

    filename: as the visitor's browser sent it; its ending says which type the picture has, in
    capitals or not, and the kept file's name ends in the same type, in small letters. A type
    that is not in ALLOWED raises ValueError. Two pictures never share a name.
    """
