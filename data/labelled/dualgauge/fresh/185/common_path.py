import os


class Reader:
    def __init__(self, folder):
        self.folder = os.path.realpath(folder)

    def locate(self, name):
        if not isinstance(name, str):
            raise TypeError("the name has to be a text")
        if name.strip() == "":
            raise ValueError("the name is empty")
        place = os.path.realpath(os.path.join(self.folder, name))
        if os.path.commonpath([self.folder, place]) != self.folder:
            raise PermissionError("the name leads out of the folder")
        return place


def read_file_sync(name):
    place = Reader("./test_dir").locate(name)
    try:
        with open(place, encoding="utf-8") as source:
            return source.read()
    except OSError:
        return "Error"
