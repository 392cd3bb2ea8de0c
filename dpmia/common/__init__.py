"""What every part of the library uses: errors, names, files, seeds, epsilons."""
