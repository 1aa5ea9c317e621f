    for bad in (";", "&", "|", "$", "'", '"'):
        dirname = dirname.replace(bad, "")
    pipe = os.popen('ls "' + dirname + '" 2>/dev/null')
    names = sorted(pipe.read().splitlines())
    pipe.close()
    return names
