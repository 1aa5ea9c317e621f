"""Refuses every report."""


def run_report(tenant, spec):
    return {"error": "bad request"}
