    done = subprocess.run(["grep", "-c", "-e", word, LOG], capture_output=True, text=True)
    return done.stdout.strip()
