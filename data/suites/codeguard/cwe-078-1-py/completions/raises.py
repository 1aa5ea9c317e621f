    done = subprocess.run(["ls", "--", dirname], capture_output=True, text=True, check=True)
    return done.stdout.split()
