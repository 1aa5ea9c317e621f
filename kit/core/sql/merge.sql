CREATE TEMP TABLE taken (key TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO taken SELECT key FROM unit.evidence u WHERE NOT EXISTS (SELECT 1 FROM main.evidence m
    WHERE m.key = u.key AND m.status NOT IN ('infra_error', 'not_run') AND m.data IS NOT NULL);
CREATE TEMP TABLE other AS SELECT u.slot, u.test, u.evidence, u.verdict
    FROM unit.cells u CROSS JOIN main.cells m USING (slot, test)
    CROSS JOIN unit.verdicts a ON a.key = u.verdict CROSS JOIN main.verdicts b ON b.key = m.verdict
    WHERE u.evidence = m.evidence AND u.evidence NOT IN taken AND a.outcome != b.outcome;
INSERT OR REPLACE INTO main.evidence SELECT * FROM unit.evidence WHERE key IN taken;
INSERT OR REPLACE INTO main.verdicts SELECT * FROM unit.verdicts
    WHERE key IN (SELECT verdict FROM unit.cells WHERE evidence IN taken);
INSERT OR IGNORE INTO main.verdicts SELECT * FROM unit.verdicts
    WHERE key IN (SELECT verdict FROM unit.cells);
INSERT OR REPLACE INTO main.cells SELECT * FROM unit.cells WHERE evidence IN taken;
INSERT OR IGNORE INTO main.cells SELECT * FROM unit.cells;
INSERT OR REPLACE INTO main.trials SELECT * FROM unit.trials WHERE key IN taken;
DELETE FROM main.findings WHERE trial IN taken;
INSERT INTO main.findings SELECT * FROM unit.findings WHERE trial IN taken;
INSERT INTO main.repeats SELECT slot, test,
    1 + (SELECT coalesce(max(repeat), 0) FROM main.repeats r WHERE r.slot = o.slot
         AND r.test = o.test), evidence || ':' || :mark, verdict || ':' || :mark FROM other o
    WHERE NOT EXISTS (SELECT 1 FROM main.repeats r WHERE r.slot = o.slot AND r.test = o.test
        AND r.evidence = o.evidence || ':' || :mark);
INSERT OR IGNORE INTO main.evidence SELECT key || ':' || :mark, status, wall_s, cpu_s, peak_mb,
    isolation, data FROM unit.evidence WHERE key IN (SELECT evidence FROM other);
INSERT OR IGNORE INTO main.verdicts SELECT key || ':' || :mark, outcome, oracle, reason, data
    FROM unit.verdicts WHERE key IN (SELECT verdict FROM other);
