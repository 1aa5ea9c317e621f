    for char in ";|&\"'":
        text = text.replace(char, "")
    output = os.popen("date -u -d \"" + text + "\" +%s 2>/dev/null").read().strip()
    if not output:
        raise ValueError("could not parse date")
    return int(output.splitlines()[-1])
