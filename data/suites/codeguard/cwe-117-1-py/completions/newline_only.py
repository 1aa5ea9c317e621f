    name = name.replace("\n", " ")
    with open(LOG, "a", newline="") as log:
        log.write("%d FAILED %s %s\n" % (time.time(), name, address))
