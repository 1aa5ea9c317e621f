"""Is the code that a language model writes both correct and secure?

The reading order is the flow of the data; imports only ever point up this list.

core         records, the nouns: Task, Test, Sample, Event, Observed, Evidence, Verdict;
             store: one SQLite file per run, content keys, resume, frame() is the tidy table;
             languages, forms of JSON, paths, versions of what a result rests on, the one error
sandbox      an untrusted program runs, and what it did is seen from outside
generation   a model, an agent or a recording answers
harness      extracts a program, loads it, sees how it can be called, calls it in the sandbox
scoring      arrays in, numbers out: at-k, rates, intervals, paired tests; and the one policy:
             status and outcome become functional, secure, in the denominator
oracle       evidence becomes a verdict: pass, fail or unknown, with its reason
run          the contract, kit.run.suite; opens a suite by its name or folder; generate, execute,
             judge over many tasks, in a pool, resumable; notebooks through papermill
explore      the samples of a run as widgets, as a page and as figures; two runs beside each other;
             a sweep from a notebook; save() is the only door to figures/

On this core stand the rings, which the core never imports:

systems      DualGauge, CodeGuard+, RealSec-bench and OSS-Bench, a folder each; none imports another
papers       the printed numbers, the audit of them, and their tables again from a run
review       people label, code and review tests; oracles are measured against labels
bridges      agents, Inspect, SARIF, JUnit, a scan of any folder
course       labs for a class, with copies of the notebooks and marks; it teaches all the others
cli          the `kit` command: it imports what it offers, when it is asked for it

Other people's benchmarks are no part of it: each is a folder with a suite.py (data/suites).

FACE is all that a notebook needs to know: these names, each with a docstring, and the attributes of
what they give. Everything else belongs to its room and may change.
"""

__version__ = "0.1.0"

FACE = {
    "kit.explore": "Explorer ItemStudy arms read_lists recorded_scores stages",
    "kit.explore.plots": "dumbbell forest heat save show sweep",
    "kit.scoring.measures": "counts frame_steps measure",
    "kit.scoring.stats": "seed smallest_detectable_difference",
    "kit.papers": "ac1_range agree compare composition factor intervals "
    "oracle printed_intervals relations replicate shares sign_tests slip_shares table tallies wide",
    "kit.core.records": "Cell Sample Trial",
    "kit.review": "FailureAudit ProbeReview ReviewForm OracleRecord component_rates corrected "
    "corrections levels simulated_judge",
    "kit.run.job": "Job",
    "kit.run.validate": "execute labelled",
    "kit.sandbox": "open_sandbox",
    "kit.core.store": "Store",
    "kit.run.suites": "open_suite",
    "kit.systems.codeguard.study": "engines method_scores per_prompt reversals",
    "kit.systems.ossbench.study": "builds chained chart",
    "kit.systems.realsec.study": "Methods adjudicated",
}
