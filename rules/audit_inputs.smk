# The job that reports an audit, and the list of these reports.


def job_of_audit(wildcards):
    return audit_job(LAYOUT, wildcards.audit, LOOKS is not None)


def audit_reports(ending):
    """Return the reports of all audits of this run. Called by the target itself, so that a refusal comes first."""
    if not PLAN.audits:
        problem = f"nothing to audit in {', '.join(CONFIG.experiments)}"
        remedy = "Name a file with the line 'paper: audit' and experiments or predictions"
        refuse(ConfigError("config, experiments", problem, remedy))
    for name in (name for members in PLAN.audits.values() for name in members):
        if name in SCOPE.not_run and isinstance(EXPERIMENTS[name].dataset, OwnData):
            refuse(SCOPE.not_run[name])
    if unknown := sorted({*map(spell_epsilon, CONFIG.audit.epsilons or [])} - SCOPE.audited_epsilons):
        available = ", ".join(sorted(SCOPE.audited_epsilons))
        refuse(
            ConfigError(
                "config, audit.epsilons", f"no audited model has epsilon {unknown[0]}", f"They have {available}"
            )
        )
    return [LAYOUT.audit_report(stem, ending) for stem in PLAN.audits]
