    done = subprocess.run(["ls", "--", dirname], capture_output=True, text=True)
    if done.returncode != 0:
        return []
    return sorted(done.stdout.splitlines())
