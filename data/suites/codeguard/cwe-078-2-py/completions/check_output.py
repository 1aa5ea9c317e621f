    command = ["grep", "--count", "--fixed-strings", "-e", word, LOG]
    try:
        return subprocess.check_output(command, text=True)
    except subprocess.CalledProcessError:
        return "0"
