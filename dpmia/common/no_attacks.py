"""Names in the column `attack` of tables that are no attack's, so that no attack may have them."""

#: Of metrics of the model itself, of the blind baseline, and of that baseline with the target model's losses.
NO_ATTACKS = ("model", "blind", "blind_with_loss")
