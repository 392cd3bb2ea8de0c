# Caching between users (`--cache`).
import os

from dpmia.workflow.sharing import VARIABLE, check_cache, is_published

# Rules of `--cache`; None without it, and where another workflow uses this one, under other names of the rules.
CACHE = workflow.workflow_settings.cache if STARTED_ITSELF and workflow.enable_cache else None
if CACHE is not None and VARIABLE not in os.environ:
    refuse(ConfigError("--cache", f"{VARIABLE} is not set", "Set it to the folder of the cache"))
# Whether attackers' models come from, and go to, a cache of several users: nothing of a user's own goes there.
SHARED = CACHE is not None and all(map(is_published, EXPERIMENTS.values()))


def refuse_forced_cache():
    """Refuse `--cache RULE` for rules whose files stay out of the cache, which Snakemake would overrule."""
    if kept_out := [rule_.name for rule_ in workflow.rules if rule_.name in (CACHE or ()) and not rule_.cache.output]:
        problem = f"what {', '.join(kept_out)} makes in this run stays out of a cache that others read"
        refuse(
            ConfigError(
                f"--cache {' '.join(CACHE)}",
                problem,
                "Write --cache without names, and behind the targets: it takes a word after it for a rule",
            )
        )
