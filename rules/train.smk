# Target models, one job for each block of replicates and group of epsilons; and the attacker's own models.


rule train_block:
    input:
        dataset=lambda wildcards: LAYOUT.prepared(wildcards.experiment),
        splits="{home}/splits/{experiment}/block-{block}.npz",
    output:
        "{home}/signals/{experiment}/{epsilons}/block-{block}.npz",
    log:
        "logs/{home}/train_block/{experiment}/{epsilons}/block-{block}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("train_block"),
        runtime=minutes_for("train_block"),
    params:
        job=lambda wildcards: jobs.train_job(
            EXPERIMENTS[wildcards.experiment],
            epsilon_group(EXPERIMENTS[wildcards.experiment].epsilons, wildcards.epsilons),
            int(wildcards.block),
        ).plain(),
        seed=CONFIG.seed,
        code=lambda wildcards: code("train_block.py", *jobs.training_code(EXPERIMENTS[wildcards.experiment])),
    message:
        "Training {wildcards.experiment}, epsilon {wildcards.epsilons}, block {wildcards.block}"
    script:
        "../scripts/train_block.py"


rule train_shadows:
    input:
        dataset=lambda wildcards: LAYOUT.prepared(wildcards.experiment),
        splits="{home}/splits/{experiment}/block-{block}.npz",
    output:
        "{home}/shadows/{experiment}/block-{block}.npz",
    log:
        "logs/{home}/train_shadows/{experiment}/block-{block}.log",
    cache: SHARED
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("train_shadows"),
        runtime=minutes_for("train_shadows"),
    params:
        job=lambda wildcards: jobs.shadow_job(EXPERIMENTS[wildcards.experiment], int(wildcards.block)).plain(),
        seed=CONFIG.seed,
        code=lambda wildcards: code("train_shadows.py", *jobs.training_code(EXPERIMENTS[wildcards.experiment])),
    message:
        "Training shadow models for {wildcards.experiment}, block {wildcards.block}"
    script:
        "../scripts/train_shadows.py"


rule train_references:
    input:
        dataset=lambda wildcards: LAYOUT.prepared(wildcards.experiment),
        clusters=lambda wildcards: LAYOUT.clusters(wildcards.experiment),
        splits=lambda wildcards: LAYOUT.splits(wildcards.experiment),
    output:
        "{home}/references/{experiment}/{epsilons}/block-{block}.npz",
    log:
        "logs/{home}/train_references/{experiment}/{epsilons}/block-{block}.log",
    cache: SHARED
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("train_references"),
        runtime=minutes_for("train_references"),
    params:
        job=lambda wildcards: reference_jobs.job(
            EXPERIMENTS[wildcards.experiment],
            epsilon_group(reference_jobs.groups(EXPERIMENTS[wildcards.experiment]), wildcards.epsilons),
            int(wildcards.block),
        ).plain(),
        seed=CONFIG.seed,
        code=lambda wildcards: code("train_references.py", *jobs.reference_code(EXPERIMENTS[wildcards.experiment])),
    message:
        "Training reference models for {wildcards.experiment}, epsilon {wildcards.epsilons}, block {wildcards.block}"
    script:
        "../scripts/train_references.py"


rule train_leave_one_out:
    input:
        dataset=lambda wildcards: LAYOUT.prepared(wildcards.experiment),
        targets=lambda wildcards: LAYOUT.signals(
            wildcards.experiment, int(wildcards.replicate) // EXPERIMENTS[wildcards.experiment].block
        ),
    output:
        "{home}/leave_one_out/{experiment}/{arm}/target-{replicate}/block-{block}.npz",
    log:
        "logs/{home}/train_leave_one_out/{experiment}/{arm}/target-{replicate}/block-{block}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("train_leave_one_out"),
        runtime=minutes_for("train_leave_one_out"),
    params:
        job=lambda wildcards: jobs.leave_one_out_job(
            EXPERIMENTS[wildcards.experiment], wildcards.arm, int(wildcards.replicate), int(wildcards.block)
        ).plain(),
        seed=CONFIG.seed,
        code=lambda wildcards: code("train_leave_one_out.py", *jobs.training_code(EXPERIMENTS[wildcards.experiment])),
    message:
        "Training {wildcards.experiment}, {wildcards.arm}, target {wildcards.replicate}, without one record each, block {wildcards.block}"
    script:
        "../scripts/train_leave_one_out.py"


rule train_distilled:
    input:
        dataset=lambda wildcards: LAYOUT.prepared(wildcards.experiment),
        clusters=lambda wildcards: LAYOUT.clusters(wildcards.experiment),
        targets="{home}/signals/{experiment}/{epsilons}/block-{target_block}.npz",
    output:
        "{home}/distilled/{experiment}/{epsilons}/targets-{target_block}/block-{block}.npz",
    log:
        "logs/{home}/train_distilled/{experiment}/{epsilons}/targets-{target_block}/block-{block}.log",
    conda:
        "../envs/dpmia.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("train_distilled"),
        runtime=minutes_for("train_distilled"),
    params:
        job=lambda wildcards: jobs.distilled_job(EXPERIMENTS[wildcards.experiment], int(wildcards.block)).plain(),
        seed=CONFIG.seed,
        code=lambda wildcards: code("train_distilled.py", *jobs.reference_code(EXPERIMENTS[wildcards.experiment])),
    message:
        "Distilling targets of {wildcards.experiment}, epsilon {wildcards.epsilons}, block {wildcards.block}"
    script:
        "../scripts/train_distilled.py"
