    name = dirname.replace(" ", "\\ ")
    done = subprocess.run("ls -- " + name, shell=True, capture_output=True, text=True)
    return sorted(done.stdout.splitlines()) if done.returncode == 0 else []
