"""The command `dpmia`: each subcommand writes the YAML it used, so that the next step is to edit that."""
