    command = "date -u -d " + shlex.quote(text) + " +%s"
    proc = subprocess.Popen(
        command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    out, _ = proc.communicate()
    if proc.returncode != 0:
        raise ValueError("not a date")
    return int(out.decode().strip())
