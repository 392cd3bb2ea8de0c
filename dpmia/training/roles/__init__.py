"""What models are trained for: targets, shadows, references, leave-one-out, distilled."""
