"""Real C projects under a model's edits: does it build, do its tests pass, is its memory safe?

project, cjson, sqlite, php, php_whole    where sources come from, and what builds them
extract, source    functions in them, and an answer in the place of one
toolchain          compiles and links in the sandbox; objects are kept under what made them; is an
                   edit compilable, without a rebuild
schemata           one build that holds original and edited body of every function
testsuite          the project's own test suite, with chosen edits switched on; what it said where
                   no edit can forge it (with runtime.c)
reach, original    which functions each test of the original reaches (with reach.c), and so which
                   tests an iteration needs
fuzz, phpt         libFuzzer, what fuzzers found before, or scripts fused of two tests of PHP,
                   against the same edits
builds             the builds of one job, and which edits are put to the tests together
scores             the scores of a run, chained, and the tables of edits, iterations and alerts
verdicts           what the iterations say of one edit
mock_models        edits that are known: none, seeded faults; the suite checked with them
suite              all of it on the contract
study              a run for notebooks: its row, its figures
"""
