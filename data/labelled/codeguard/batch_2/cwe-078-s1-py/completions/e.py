    try:
        done = subprocess.run(
            ["date", "-u", "-d", text, "+%s"], capture_output=True, text=True, check=True, timeout=5
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"cannot read the date {text!r}") from error
    return int(done.stdout)
