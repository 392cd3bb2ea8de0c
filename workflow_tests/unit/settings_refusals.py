"""The form of messages that refuse settings."""

import re

import pytest

from dpmia.common.errors import ConfigError

#: `<where>: <what is wrong>. <what to do>.`
FORM = re.compile(r".+: .+\.( .+[.?])*")

#: Words of older messages that no message holds any more.
BANNED = re.compile(r"found .*; expected|told|cannot be had|promise|asked about|fit together")


def refusal(plan, file, **config):
    """Return the message by which a file is refused: in one line, in the form of all messages, in plain words."""
    with pytest.raises(ConfigError) as error:
        plan(file, **config)
    message = str(error.value)
    assert FORM.fullmatch(message), message
    assert not BANNED.search(message), message
    assert ".." not in message.replace("...", ""), message
    return message
