"""What is proved: bounds on attacks, as pure functions. No models are needed here."""
