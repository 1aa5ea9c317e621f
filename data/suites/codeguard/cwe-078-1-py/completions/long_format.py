    done = subprocess.run(["ls", "-l", "--", dirname], capture_output=True, text=True)
    return sorted(done.stdout.splitlines()) if done.returncode == 0 else []
