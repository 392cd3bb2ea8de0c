# Figures and tables, and the names by which people ask for them.


def artifact_inputs(artifact):
    """Return the tables that an artifact is made from."""
    return [f"{RUN}/{artifact.stage}/{experiment}.csv" for experiment in artifact.experiments]


for artifact in ARTIFACTS.values():

    rule:
        name:
            f"make_{artifact.name}"
        input:
            artifact_inputs(artifact),
        output:
            artifact_files(artifact),
        log:
            f"logs/{RUN}/make_{artifact.kind}/{artifact.name}.log",
        params:
            artifact=artifact.__dict__,
            facts=run_facts(artifact),
            code=code(f"make_{artifact.kind}.py", *filter(None, (artifact.tabulate, artifact.draw))),
        threads: 1
        resources:
            mem_mb=1000,
            runtime=20,
        conda:
            "../envs/dpmia.yaml"
        message:
            f"Making {artifact.name}"
        script:
            f"../scripts/make_{artifact.kind}.py"

    rule:
        name:
            artifact.name
        input:
            artifact_files(artifact),
        localrule: True


for paper in PAPERS:

    rule:
        name:
            paper
        input:
            [artifact_files(artifact) for artifact in ARTIFACTS.values() if PAPER_OF[artifact.name] == paper],
        localrule: True


rule all:
    default_target: True
    input:
        [artifact_files(artifact) for artifact in ARTIFACTS.values()],
    localrule: True
