    with open(LOG, "w") as log:
        log.write(f"{int(time.time())} FAILED {name!r} {address}\n")
