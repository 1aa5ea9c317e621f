    done = subprocess.run(["grep", "-F", "-c", word, LOG], capture_output=True, text=True)
    return done.stdout.strip() or "0"
