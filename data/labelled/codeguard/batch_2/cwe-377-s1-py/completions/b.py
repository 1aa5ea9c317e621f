    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.writelines(word + "\n" for word in words)
        file.flush()
        done = subprocess.run(
            ["sort", "-u", file.name], env={"LC_ALL": "C", "PATH": os.environ.get("PATH", "/usr/bin:/bin")},
            capture_output=True, check=True,
        )
    return done.stdout.decode("utf-8").split()
