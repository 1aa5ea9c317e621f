    try:
        out = subprocess.check_output("ls '%s' 2>/dev/null" % dirname, shell=True)
    except subprocess.CalledProcessError:
        return []
    return sorted(out.decode().splitlines())
