"""What the report of an audit is made from, by the plan of a run."""

from __future__ import annotations

from dpmia.jobs.attacking import AuditedAttack
from dpmia.jobs.auditing import AuditJob, AuditPart
from dpmia.planning import descriptions, jobs, prediction_jobs
from dpmia.workflow.layout import RunLayout


def audit_job(layout: RunLayout, audit: str, looks: bool) -> AuditJob:
    """Return the job that reports an audit.

    Args:
        layout: of the run.
        audit: name of the audit.
        looks: whether replicates were added after a look.
    """
    config = layout.plan.config
    return AuditJob(
        parts={name: audit_part(layout, name) for name in layout.plan.audits[audit]},
        data=config.data,
        scale=config.scale,
        seed=config.seed,
        fail_above=config.audit.fail_above,
        epsilons=config.audit.epsilons,
        looks=looks,
        bound=config.plan.bound,
        acceptance=config.plan.acceptance,
        relation=config.plan.relation,
    )


def audit_part(layout: RunLayout, name: str) -> AuditPart:
    """Return what the report takes of an experiment, or of a model known by its predictions."""
    plan, summary = layout.plan, layout.table("summary", name)
    if name in plan.predictions:
        settings, given = plan.predictions[name], layout.given(name)
        ranking = prediction_jobs.attacks(settings)
        attacks = {
            key: AuditedAttack(spec.attack, spec.options, [given["references"]]) for key, spec in ranking.items()
        }
        return AuditPart(descriptions.describe_predictions(name, settings), {}, attacks, summary, [given["signals"]])
    experiment = plan.experiments[name]
    specs = {key: jobs.attack_job(experiment, key) for key in jobs.audited_attacks(experiment)}
    return AuditPart(
        description=descriptions.describe_audited(experiment),
        groups=jobs.groups(experiment),
        attacks={
            key: AuditedAttack(spec.attack, spec.options, layout.references(name, key)) for key, spec in specs.items()
        },
        summary=summary,
        signals=layout.all_signals(name),
        dataset=layout.prepared(name),
        splits=layout.splits(name),
    )
