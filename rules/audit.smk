# Audits: attacks on models of a data owner, or on their predictions, and the report.


rule attack_predictions:
    input:
        lambda wildcards: prediction_jobs.files(PREDICTIONS[wildcards.predictions]),
    output:
        signals="{home}/signals/{predictions}/given/block-0.npz",
        references="{home}/references/{predictions}/given/block-0.npz",
        replicates="{home}/replicates/{predictions}.csv",
        summary="{home}/summary/{predictions}.csv",
    log:
        "logs/{home}/attack_predictions/{predictions}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(2000),
        runtime=more(30),
    params:
        settings=lambda wildcards: prediction_jobs.read_job(PREDICTIONS[wildcards.predictions]).plain(),
        content=lambda wildcards: contents(*prediction_jobs.files(PREDICTIONS[wildcards.predictions])),
        attacks=lambda wildcards: {
            name: attack.plain()
            for name, attack in prediction_jobs.attacks(PREDICTIONS[wildcards.predictions]).items()
        },
        seed=CONFIG.seed,
        code=lambda wildcards: code(
            "attack_predictions.py",
            *(given.attack for given in prediction_jobs.attacks(PREDICTIONS[wildcards.predictions]).values()),
        ),
    message:
        "Attacking the given predictions of {wildcards.predictions}"
    script:
        "../scripts/attack_predictions.py"


rule make_audit:
    input:
        lambda wildcards: [file for part in job_of_audit(wildcards).parts.values() for file in part.files],
    output:
        # Kept as they were until the job ends well: a failed job leaves the report of the last audit.
        html=update(f"{RUN}/audit-{{audit}}.html"),
        json=update(f"{RUN}/audit-{{audit}}.json"),
    log:
        f"logs/{RUN}/audits/{{audit}}/make_audit.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=more(3000),
        runtime=more(60),
    params:
        job=lambda wildcards: job_of_audit(wildcards).plain(),
        code=lambda wildcards: code(
            "make_audit.py",
            *{spec.attack for part in job_of_audit(wildcards).parts.values() for spec in part.attacks.values()},
        ),
        templates=text_digest(
            LIBRARY / "report/templates" / name
            for name in ("page.html", "parts.html", "audit.html", "script.js", "style.css")
        ),
    message:
        "Reporting the audit {wildcards.audit}"
    script:
        "../scripts/make_audit.py"


# Nothing is made here, so that a limit that is exceeded costs no file of the report.
rule audit:
    """Attack your own models, report on each, and check the limits."""
    input:
        html=lambda wildcards: audit_reports("html"),
        json=lambda wildcards: audit_reports("json"),
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
        "Checking the limits of the audit"
    script:
        "../scripts/check_audit.py"
