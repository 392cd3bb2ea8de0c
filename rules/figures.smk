# Figures and tables, of papers and of checks, and the targets that make them.


for artifact in (*SCOPE.artifacts.values(), *CHECKS, validation.KEPT_EPSILON):

    rule:
        name:
            f"make_{artifact.name}"
        input:
            [f"{RUN}/{table}.csv" for table in SCOPE.tables(artifact)],
        output:
            **reported(artifact),
        log:
            f"logs/{RUN}/make_artifact/{artifact.name}.log",
        conda:
            "../envs/dpmia.yaml"
        threads: 1
        resources:
            mem_mb=memory_of_tables(1000),
            runtime=more(20),
        params:
            caption=artifact.caption,
            tabulate=artifact.tabulate,
            draw=artifact.draw,
            tables=SCOPE.tables(artifact),
            run_summary=SCOPE.run_summary(artifact).plain(),
            code=code("make_artifact.py", *filter(None, (artifact.tabulate, artifact.draw))),
        message:
            f"Making {artifact.name}"
        script:
            "../scripts/make_artifact.py"

    rule:
        name:
            artifact.name
        input:
            SCOPE.files(artifact).values(),
        localrule: True
        message:
            f"{artifact.name} is made"

    paper = PAPER_OF.get(artifact.name)
    title = titles.title_in(BIBLIOGRAPHY[paper].short if paper else "", artifact.name)
    whose = " (ours)" if paper and artifact.ours else ""
    describe(artifact.name, f"{title}{whose}: {artifact.reading.topic}.")
