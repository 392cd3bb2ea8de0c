# One page on all of a run, and how far a run is.


rule make_report:
    input:
        artifacts=[file for paper in PAPERS for file in SCOPE.files_of(paper)],
        tables=SCOPE.tables_of_all(),
        checks=[file for artifact in CHECKS for file in SCOPE.files(artifact).values()],
        claims=expand(f"{RUN}/claims.{{ending}}", ending=("csv", "md", "pdf")),
    output:
        # A failed job leaves the last report.
        update(f"{RUN}/report.html"),
    log:
        f"logs/{RUN}/make_report.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_of_tables(2000),
        runtime=more(20),
    params:
        reported=lambda wildcards: reported_run(),
        recorded=text_digest(sorted((LIBRARY / "report").glob("claims-real.*"))),
        code=code("make_report.py"),
        templates=text_digest(
            LIBRARY / "report/templates" / name
            for name in ("page.html", "parts.html", "report.html", "script.js", "style.css")
        ),
    message:
        "Making the report"
    script:
        "../scripts/make_report.py"


rule publish:
    """Write the tables, the verdicts, a page and a picture of each paper to folders for a repository."""
    input:
        published_papers,
    localrule: True
    message:
        "All papers are published"


rule publish_paper:
    input:
        artifacts=files_to_publish,
        tables=lambda wildcards: SCOPE.tables_of(wildcards.paper),
    output:
        # What was published last stays until it is replaced.
        update(directory(f"{RUN}/published/{{paper}}")),
    log:
        f"logs/{RUN}/publish_paper/{{paper}}.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        reported=lambda wildcards: reported_run(),
        judge=lambda wildcards, input: SCOPE.judge_job(TIMES, input.tables).plain(),
        code=lambda wildcards: code("publish.py", CLAIMS[wildcards.paper]),
    message:
        "Publishing {wildcards.paper}"
    script:
        "../scripts/publish.py"


# No inputs and no outputs: it reads the files that exist, also during a run.
rule status:
    """Print how much of each paper is done, and what is trained now."""
    log:
        f"logs/{RUN}/status.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        folder=RUN,
        papers=lambda wildcards: SCOPE.progress(),
    message:
        "Reporting progress"
    script:
        "../scripts/print_status.py"
