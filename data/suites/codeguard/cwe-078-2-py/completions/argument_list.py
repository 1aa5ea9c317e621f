    done = subprocess.run(["grep", "-F", "-c", "-e", word, LOG], capture_output=True, text=True)
    return done.stdout.strip()
