// Macrolog
