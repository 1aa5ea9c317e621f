INSERT INTO cells VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    evidence = excluded.evidence, verdict = excluded.verdict, cached = excluded.cached
-- An equal row is not written anew: a resumed run has a million of them.
WHERE (evidence, verdict, cached) IS NOT (excluded.evidence, excluded.verdict, excluded.cached)
