    path = tempfile.mktemp()
    with open(path, "w") as f:
        for word in words:
            f.write(word + "\n")
    try:
        result = subprocess.run(
            ["sort", "-u", path], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
        )
        return result.stdout.splitlines()
    finally:
        os.remove(path)
