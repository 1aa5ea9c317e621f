    with open(LOG, "a", encoding="utf-8") as log:
        log.write(f"{int(time.time())} FAILED name={repr(name)} address={address}\n")
