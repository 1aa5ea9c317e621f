    try:
        subprocess.run(
            ["tar", "-C", FILES, "-cf", target, "--", *names], check=True, capture_output=True
        )
    except subprocess.CalledProcessError as error:
        raise ValueError(error.stderr.decode(errors="replace")) from error
