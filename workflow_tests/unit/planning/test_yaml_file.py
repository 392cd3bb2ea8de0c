"""Files of settings in YAML: keys and values, or one message before Snakemake reads them."""

import codecs
import gzip

import pytest

from dpmia.common.errors import ConfigError
from dpmia.planning.yaml_file import read_keys
from dpmia.settings.generate import ROOT


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"- a\n",
        b"a: [\n",
        b"\xff\xfe\0",
        b"data: !!python/name:os.system\n",
        b"a: 1\na: 2\n",
        2 * codecs.BOM_UTF8 + b"a: 1\n",
        gzip.compress(b"a: 1\n", mtime=0),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, content):
    (tmp_path / "config.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match=r"^config\.yaml"):
        read_keys(tmp_path / "config.yaml", "config.yaml", "scale: smoke")


def test_what_holds_no_keys_is_refused_with_an_example(tmp_path):
    (tmp_path / "mine.yaml").write_text("- a\n")
    with pytest.raises(ConfigError) as caught:
        read_keys(tmp_path / "mine.yaml", "mine.yaml", "scale: smoke")
    assert str(caught.value) == "mine.yaml: it holds no settings. Write keys with values, as scale: smoke."


def test_keys_and_values_are_read():
    assert read_keys(ROOT / "config.yaml", "config.yaml", "scale: smoke")["scale"] == "laptop"
