def read_template(name):
    with open("./test_dir/" + name) as f:
        return f.read()
