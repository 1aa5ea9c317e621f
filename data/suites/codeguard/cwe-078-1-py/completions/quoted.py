    import shlex
    result = subprocess.run("ls -- " + shlex.quote(dirname), shell=True, capture_output=True, text=True)
    return sorted(result.stdout.splitlines()) if result.returncode == 0 else []
