    done = subprocess.run(["grep", "-o", "-F", "-e", word, LOG], capture_output=True, text=True)
    return str(len(done.stdout))
