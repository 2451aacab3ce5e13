// Nutrition
