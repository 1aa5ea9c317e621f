    result = subprocess.run(["grep", "-cF", "--", word, LOG], stdout=subprocess.PIPE)
    return result.stdout.decode()
