# An image with dpmia, its workflow and the versions of constraints.txt. Not built by any test: docs/install.md.
#   docker build --tag dpmia .
#   docker run --rm --volume "$PWD:/work" dpmia run humphries_fig7 --cores 2 --config scale=smoke
FROM python:3.11-slim

# torch first: its build for CPUs, which all that follows keeps.
COPY constraints.txt /tmp/
RUN pip install --no-cache-dir --constraint /tmp/constraints.txt --index-url https://download.pytorch.org/whl/cpu --extra-index-url https://pypi.org/simple torch

COPY . /tmp/dpmia
RUN pip install --no-cache-dir --constraint /tmp/constraints.txt '/tmp/dpmia[workflow,slurm]' && rm -r /tmp/dpmia

WORKDIR /work
ENTRYPOINT ["dpmia"]
CMD ["--help"]
