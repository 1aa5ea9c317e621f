from io import open as io_open


def read_template(template_name):
    cleaned = template_name.replace("../", "")
    try:
        with io_open("./test_dir/" + cleaned, encoding="utf-8") as source:
            return source.read()
    except OSError:
        return "Error"
