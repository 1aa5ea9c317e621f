    if not re.match(r"[A-Za-z0-9:+\-/ ]+", text):
        raise ValueError("unexpected characters in date")
    try:
        stamp = subprocess.check_output(
            "date -u -d '%s' +%%s" % text, shell=True, stderr=subprocess.DEVNULL
        )
        return int(stamp)
    except subprocess.CalledProcessError:
        raise ValueError("date did not understand " + repr(text))
