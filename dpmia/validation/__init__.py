"""Do the engines keep their epsilon? Canaries, lower bounds on epsilon, finite-sample error of attacks."""
