"""Puts the workflow into the wheel, beside the library: `dpmia/_workflow`. All else stands in `pyproject.toml`."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).parent

#: What a run needs beside the library.
WORKFLOW = ("Snakefile", "config.yaml", "envs", "examples", "experiments", "profiles", "rules", "scripts")


class WithWorkflow(build_py):
    """Builds the library, and copies the workflow into it; an editable installation has both where they are."""

    def run(self):
        """See `build_py.run`."""
        super().run()
        if self.editable_mode:
            return
        folder = Path(self.build_lib) / "dpmia/_workflow"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for part in WORKFLOW:
            if (HERE / part).is_dir():
                unbuilt = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "generate.py")
                shutil.copytree(HERE / part, folder / part, ignore=unbuilt)
            else:
                shutil.copy2(HERE / part, folder / part)


setup(cmdclass={"build_py": WithWorkflow})
