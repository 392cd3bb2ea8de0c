# Run metadata for the report and for published folders.

from dpmia.report.reported_run import ReportedRun

# Keys of config.yaml that the page prints.
REPORTED = ("data", "download", "scale", "seed", "engine", "experiments", "epsilons")


def reported_run():
    """Return what the page and the published folder say of the run, as plain data."""
    return ReportedRun(
        folder=Path(RUN),
        logs=Path("logs") / RUN,
        config={key: getattr(CONFIG, key) for key in REPORTED},
        defaults={key: type(CONFIG).model_fields[key].default for key in REPORTED},
        artifacts={artifact.name: SCOPE.files(artifact) for artifact in [*SCOPE.artifacts.values(), *CHECKS]},
        checks=CHECKS,
        models={name: LAYOUT.models(name) for name in EXPERIMENTS if SCOPE.runs(name)},
        own=[name for name in EXPERIMENTS if not LAYOUT.of_paper(name)],
        prepared=SCOPE.published_data(),
        not_run=SCOPE.not_run_of_papers,
        looks=ALL_LOOKS.plain() if ALL_LOOKS else None,
        settings=SCOPE.settings(),
        paper_settings=SCOPE.settings(at_paper_scale=True),
    ).plain()


def published_papers(wildcards):
    """Return the folders of the papers that the settings hold: of others there would be theorems alone."""
    held = {source.paper for source in PLAN.sources.values()}
    if not held & {*PAPERS}:
        files = "they hold no experiment of a paper"
        refuse(ConfigError("config, experiments", files, "Name files of experiments/, or leave the key out"))
    return [f"{RUN}/published/{paper}" for paper in PAPERS if paper in held]


def files_to_publish(wildcards):
    """Return the figures and tables of a paper.

    What a commit alone did not make is refused here, before any job.
    """
    try:
        sources = {source.path for source in PLAN.sources.values() if source.paper == wildcards.paper}
        named_commit(REPOSITORY, sorted(sources))
    except UserError as error:
        refuse(error)
    return SCOPE.files_of(wildcards.paper)
