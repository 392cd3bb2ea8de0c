from snakemake.utils import min_version, validate

min_version("9.0")


configfile: "config.yaml"


include: "rules/common.smk"
include: "rules/fetch.smk"
include: "rules/prepare.smk"
include: "rules/split.smk"
include: "rules/train.smk"
include: "rules/attack.smk"
include: "rules/figures.smk"
