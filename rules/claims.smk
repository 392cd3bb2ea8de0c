# What the papers claim, judged: once all is made; and, by `snakemake claims`, whatever is there by now.


rule judge_claims:
    input:
        SCOPE.tables_of_all(),
    output:
        **{ending: f"{RUN}/claims.{ending}" for ending in ("csv", "md", "pdf")},
        png=report(
            f"{RUN}/claims.png",
            caption="report/claims.rst",
            category="Claims",
            labels={"figure or table": "Verdicts on all claims", "name": "claims"},
        ),
    log:
        f"logs/{RUN}/judge_claims.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("judge_claims"),
        runtime=more(20),
    params:
        run=lambda wildcards, input: SCOPE.judge_job(TIMES, input).plain(),
        name="claims",
        code=code("judge_claims.py", *CLAIMS.values()),
    message:
        "Judging the claims of the papers"
    script:
        "../scripts/judge_claims.py"


# No inputs and no outputs: it takes the tables that are there, always runs, and writes files of its own, so that those of
# `judge_claims` are never taken for complete.


rule claims:
    """Judge the papers' claims on what was run so far."""
    log:
        f"logs/{RUN}/claims.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        run=lambda wildcards: SCOPE.judge_job(TIMES).plain(),
        name="claims-so-far",
    message:
        "Judging the claims of the papers"
    script:
        "../scripts/judge_claims.py"


rule check_claims:
    """Simulate claims under known effects, and under none: how often each is reproduced, from what was run so far."""
    log:
        f"logs/{RUN}/check_claims.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        run=lambda wildcards: SCOPE.judge_job(TIMES).plain(),
        planned=lambda wildcards: replicates_by_scale(),
    message:
        "Judging the claims of the papers in simulations"
    script:
        "../scripts/check_claims.py"


# No outputs: it judges the tables whenever it is named. The next look is read when the workflow starts anew.


rule decide:
    """Add replicates where claims or limits of audits are undecided, look by look, until the `budget` is spent."""
    input:
        lambda wildcards: [file for judged in to_judge() for file in judged.values()],
    log:
        f"logs/{RUN}/decide.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        run=lambda wildcards: SCOPE.judge_job(TIMES).plain(),
        audits=lambda wildcards: to_judge()[1],
        budget=CONFIG.budget,
        looks=ALL_LOOKS.plain() if ALL_LOOKS else None,
        seed=CONFIG.seed,
        named=LAYOUT.keys,
        efforts=lambda wildcards: {name: effort.plain() for name, effort in efforts(*to_judge()).items()},
    message:
        "Judging what is undecided, and choosing replicates to add"
    script:
        "../scripts/decide_claims.py"
