# Run metadata for the report and for published folders.

# Keys of config.yaml that the page prints.
REPORTED = ("data", "scale", "seed", "engine", "experiments", "epsilons")


def tables_of(paper):
    """Return the available tables that the claims of a paper, and its figures and tables, are made of."""
    from dpmia.papers.claims import claims

    tables = {table for claim in claims()[paper] for table in held(claim.tables) if runs(table.split("/")[1])}
    tables |= {table for artifact in available(paper) for table in artifact_tables(artifact)}
    return sorted(f"{RUN}/{table}.csv" for table in tables)


def about_run():
    """Return what the page and the published folder say of the run."""
    return {
        "folder": RUN,
        "logs": f"logs/{RUN}",
        "config": {key: getattr(CONFIG, key) for key in REPORTED},
        "defaults": {key: type(CONFIG).model_fields[key].default for key in REPORTED},
        "artifacts": {name: artifact_files(artifact) for name, artifact in ARTIFACTS.items()}
        | {artifact.name: check_files(artifact) for artifact in CHECKS},
        "checks": [artifact.__dict__ for artifact in CHECKS],
        "models": {name: LAYOUT.models(name) for name in EXPERIMENTS if runs(name)},
        "own": [name for name in EXPERIMENTS if not LAYOUT.of_paper(name)],
        "prepared": published_data(),
        "not_run": not_run_of_papers(),
        "settings": resolved({**EXPERIMENTS, **STUDIES}),
        "paper_settings": resolved(PLAN.at_paper_scale),
    }
