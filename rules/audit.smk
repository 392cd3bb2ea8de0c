# Audits: models of a data owner, or their answers, attacked and reported on.


rule attack_predictions:
    input:
        lambda wildcards: jobs.given_files(PREDICTIONS[wildcards.predictions]),
    output:
        signals=f"{RUN}/signals/{{predictions}}/given/block-0.npz",
        references=f"{RUN}/references/{{predictions}}/given/block-0.npz",
        replicates=f"{RUN}/replicates/{{predictions}}.csv",
        summary=f"{RUN}/summary/{{predictions}}.csv",
    log:
        f"logs/{RUN}/attack_predictions/{{predictions}}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(2000),
        runtime=more(30),
    params:
        settings=lambda wildcards: jobs.given_job(PREDICTIONS[wildcards.predictions]),
        attacks=lambda wildcards: jobs.given_attacks(PREDICTIONS[wildcards.predictions]),
        seed=CONFIG.seed,
        code=lambda wildcards: code(
            "attack_predictions.py",
            *(job["attack"] for job in jobs.given_attacks(PREDICTIONS[wildcards.predictions]).values()),
        ),
    message:
        "Attacking the given answers of {wildcards.predictions}"
    script:
        "../scripts/attack_predictions.py"


rule make_audit:
    input:
        [file for name in PLAN.audit for file in audit_files(audit_part(name))],
    output:
        html=f"{RUN}/audit.html",
        json=f"{RUN}/audit.json",
    log:
        f"logs/{RUN}/make_audit.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(3000),
        runtime=more(60),
    params:
        parts={name: audit_part(name) for name in PLAN.audit},
        run={"data": CONFIG.data, "scale": CONFIG.scale, "seed": CONFIG.seed},
        audit={
            "fail_above": CONFIG.audit.fail_above,
            "epsilons": CONFIG.audit.epsilons,
            "plan": CONFIG.plan.model_dump(include={"bound", "relation"}),
        },
        code=code(
            "make_audit.py",
            *{job["attack"] for name in PLAN.audit for job in audit_part(name)["attacks"].values()},
        ),
        templates=text_digest(
            REPOSITORY / "dpmia/report/templates" / name
            for name in ("page.html", "parts.html", "audit.html", "script.js", "style.css")
        ),
    message:
        "Reporting the audit of {PLAN.audit}"
    script:
        "../scripts/make_audit.py"


# Nothing is made here, so that a limit that is exceeded costs no file of the report.
rule audit:
    input:
        html=lambda wildcards: audit_report("html"),
        json=lambda wildcards: audit_report("json"),
    log:
        f"logs/{RUN}/check_audit.log",
    localrule: True
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    message:
        "Holding the audit to its limits"
    script:
        "../scripts/check_audit.py"
