    try:
        out = subprocess.check_output(["ls", "-1", "--", dirname], stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        return []
    return sorted(out.decode().splitlines())
