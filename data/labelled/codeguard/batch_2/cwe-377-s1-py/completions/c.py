    folder = tempfile.mkdtemp()
    try:
        path = tempfile.mktemp(suffix=".words", dir=folder)
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(words) + "\n")
        output = subprocess.check_output(["sort", "-u", path], env=dict(os.environ, LC_ALL="C"))
    finally:
        shutil.rmtree(folder)
    return output.decode("utf-8").splitlines()
