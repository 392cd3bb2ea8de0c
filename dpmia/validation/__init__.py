"""Do the engines keep their epsilon? Models trained again, canaries, lower bounds on epsilon."""
