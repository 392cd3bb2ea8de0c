"""From files of settings to a plan, and from its experiments to jobs."""
