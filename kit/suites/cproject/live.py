"""A whole run: generate, build, iterate, fuzz; and its text beside its file."""

from pathlib import Path
from typing import Any

from kit.store import Store
from kit.suites.cproject import projects, record
from kit.suites.cproject.check import Checker
from kit.suites.cproject.iterations import Lab
from kit.suites.cproject.job import SHARE, OssJob
from kit.suites.cproject.testsuite import seen_kinds
from kit.suites.cproject.toolchain import Workshop


def go(job: OssJob, box: Any, run: str | Path) -> dict[str, str]:
    """Generate, build and iterate into the run; what each stage did, in words."""
    with Store(run) as store, Workshop(box, job.project) as shop:
        record.prepare(store)
        store.set_meta(suite="ossbench", project=job.project.name, version=job.project.version,
                       model=job.opened.name, functions=len(job.table), share=job.share,
                       seed=job.seed, sandbox=box.identity, compiler=shop.compiler,
                       mode=job.mode, faults_seen=seen_kinds(job.project))  # fmt: skip
        asked = job.generate(store)
        built = job.check(store, Checker(shop, job.readers))
        lab = Lab(job, shop, store)
        tested = {"iterate": str(lab.iterate())}
        if job.fuzz:
            tested["fuzz"] = str(lab.fuzz())
        record.publish(store, store.path.parent)
        return {"generate": str(asked), "build": str(built)} | tested


def start(
    project: str,
    model: str,
    *,
    run: str,
    limit: int = 0,
    iterations: int = 1000,
    until: float = 0.0,
    share: float = SHARE,
    fuzz: int = 0,
) -> dict[str, str]:
    """A whole run from a notebook; 0 stands for no limit."""
    with projects.opened(project, limit=limit) as (box, tree, table):
        job = OssJob(tree, table, model, iterations=iterations, until=until or None,
                     share=share, fuzz=fuzz)  # fmt: skip
        return go(job, box, run)
