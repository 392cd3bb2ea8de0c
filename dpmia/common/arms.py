"""How an arm and its IID arm are named."""

IID_SUFFIX = "-iid"
