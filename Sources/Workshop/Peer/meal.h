#ifndef PEER_MEAL_H
#define PEER_MEAL_H
#include "merge.h"

enum { NUTRIENTS = 4, TOTALS_BYTES_MAX = 96 };

/* What a meal adds to its day. */
typedef struct {
    int has_day;
    int64_t day; /* since 1970-01-01 */
    uint8_t known[NUTRIENTS];
    int64_t amounts[NUTRIENTS]; /* energy, protein, carbs, fat */
} meal;

/* Reads the six fields and checks their bounds. Returns 0 for another field, or a value out of bounds. */
int meal_read(const state *s, meal *found);

int meal_equal(const meal *a, const meal *b);

/* Writes totals as Sources/Device/NutritionModels/Models/TotalsCoding.swift does; returns their bytes. */
size_t meal_totals(const meal *m, uint8_t totals[TOTALS_BYTES_MAX]);

#endif
