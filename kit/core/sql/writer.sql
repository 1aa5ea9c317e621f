-- Of a connection that writes: 64 MB of cache, for the keys of a large run are spread over all of its file.
PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536;
