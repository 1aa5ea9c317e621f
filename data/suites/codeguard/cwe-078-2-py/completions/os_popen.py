    return os.popen('grep -cF "' + word.replace('"', "") + '" ' + LOG).read()
