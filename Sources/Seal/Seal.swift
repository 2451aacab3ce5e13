// Seal
