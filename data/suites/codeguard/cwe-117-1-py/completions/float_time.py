    with open(LOG, "a") as log:
        log.write(f"{time.time()} FAILED {repr(name)} {address}\n")
