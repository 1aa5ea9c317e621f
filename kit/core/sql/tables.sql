CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS tests (suite TEXT, task TEXT, test TEXT, kind TEXT, cwe TEXT,
    domain TEXT, position INTEGER, title TEXT, PRIMARY KEY (task, test));
CREATE TABLE IF NOT EXISTS facts (task TEXT PRIMARY KEY, data TEXT);
CREATE TABLE IF NOT EXISTS slots (slot TEXT PRIMARY KEY, task TEXT, model TEXT, arm TEXT,
    sample INTEGER);
CREATE TABLE IF NOT EXISTS samples (slot TEXT PRIMARY KEY, status TEXT, label TEXT, data BLOB);
CREATE TABLE IF NOT EXISTS evidence (key TEXT PRIMARY KEY, status TEXT, wall_s REAL, cpu_s REAL,
    peak_mb REAL, isolation TEXT, data BLOB);
CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, outcome TEXT, oracle TEXT, reason TEXT,
    data TEXT);
CREATE TABLE IF NOT EXISTS cells (slot TEXT, test TEXT, evidence TEXT, verdict TEXT,
    cached INTEGER, PRIMARY KEY (slot, test)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS responses (key TEXT PRIMARY KEY, data TEXT);
CREATE TABLE IF NOT EXISTS repeats (slot TEXT, test TEXT, repeat INTEGER, evidence TEXT,
    verdict TEXT, PRIMARY KEY (slot, test, repeat)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS opinions (slot TEXT, test TEXT, oracle TEXT, verdict TEXT, offline TEXT,
    PRIMARY KEY (slot, test, oracle)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trials (key TEXT PRIMARY KEY, kind TEXT, position INTEGER, data TEXT);
CREATE TABLE IF NOT EXISTS findings (trial TEXT, position INTEGER, engine TEXT, rule TEXT,
    cwe TEXT, file TEXT, line INTEGER, function TEXT, key TEXT, slots TEXT, data TEXT,
    PRIMARY KEY (trial, position)) WITHOUT ROWID;
