#include "meal.h"

/* The fields with their names as they are encoded, and the greatest amounts (Nutrient.bounds). */
static const struct {
    slice name;
    int64_t greatest;
} nutrients[NUTRIENTS] = {
    {{(const uint8_t *)"\x66" "energy", 7}, 20000000},
    {{(const uint8_t *)"\x67" "protein", 8}, 2000000},
    {{(const uint8_t *)"\x65" "carbs", 6}, 2000000},
    {{(const uint8_t *)"\x63" "fat", 4}, 2000000},
};
static const slice local_date = {(const uint8_t *)"\x6a" "local_date", 11};
static const slice dish_name = {(const uint8_t *)"\x69" "dish_name", 10};

static int is_null(slice value) { return value.bytes[0] == 0xf6; }

static int skip_null(reader *r) {
    if (r->at >= r->end || *r->at != 0xf6) return 0;
    r->at++;
    return 1;
}

/* An IANA name: letters, digits and _ + - /. */
static int is_zone(slice text) {
    reader r = reader_of(text);
    int major;
    uint64_t count = read_head(&r, &major);
    if (count < 1) return 0;
    for (; r.at < r.end; r.at++) {
        uint8_t byte = *r.at, letter = byte | 0x20;
        int is_word = (letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9');
        if (!is_word && byte != '_' && byte != '+' && byte != '-' && byte != '/') return 0;
    }
    return 1;
}

/* [day, milliseconds or null, zone or null, minutes or null] (LocalDate.swift). */
static int read_day(slice value, meal *m) {
    if (is_null(value)) return 1;
    reader r = reader_of(value);
    if (read_count(&r, MAJOR_ARRAY, 4) != 4) return 0;
    m->day = read_int(&r, -25567, 84370);
    m->has_day = 1;
    if (!skip_null(&r)) read_int(&r, -2209075200000, 7289740800000);
    if (!skip_null(&r) && !is_zone(read_text(&r, 64))) return 0;
    if (!skip_null(&r)) read_int(&r, -840, 840);
    return !r.failed;
}

/* Up to 200 bytes without control characters: C0, delete, C1. */
static int is_name(slice value) {
    if (is_null(value)) return 1;
    reader r = reader_of(value);
    int major;
    uint64_t count = read_head(&r, &major);
    if (major != MAJOR_TEXT || count > 200) return 0;
    uint8_t before = 0;
    for (; r.at < r.end; before = *r.at++) {
        if (*r.at < 0x20 || *r.at == 0x7f || (before == 0xc2 && *r.at >= 0x80 && *r.at <= 0x9f)) return 0;
    }
    return 1;
}

static int read_amount(slice value, int which, meal *m) {
    if (is_null(value)) return 1;
    reader r = reader_of(value);
    m->amounts[which] = read_int(&r, 0, nutrients[which].greatest);
    m->known[which] = 1;
    return !r.failed;
}

int meal_read(const state *s, meal *found) {
    memset(found, 0, sizeof *found);
    for (int i = 0; i < s->count; i++) {
        slice name = s->cells[i].name, value = cell_winner(&s->cells[i])->value;
        int is_good = 0;
        if (item_equal(name, local_date)) {
            is_good = read_day(value, found);
        } else if (item_equal(name, dish_name)) {
            is_good = is_name(value);
        } else {
            for (int j = 0; j < NUTRIENTS; j++) {
                if (item_equal(name, nutrients[j].name)) is_good = read_amount(value, j, found);
            }
        }
        if (!is_good) return 0;
    }
    return 1;
}

int meal_equal(const meal *a, const meal *b) {
    return a->has_day == b->has_day && a->day == b->day && memcmp(a->known, b->known, sizeof a->known) == 0
        && memcmp(a->amounts, b->amounts, sizeof a->amounts) == 0;
}

size_t meal_totals(const meal *m, uint8_t totals[TOTALS_BYTES_MAX]) {
    uint64_t known = 0;
    for (int i = 0; i < NUTRIENTS; i++) known += m->known[i];
    uint8_t *to = write_head(totals, MAJOR_ARRAY, 1 + 3 * known);
    to = write_int(to, 1);  // one part: the meal itself
    for (int i = 0; i < NUTRIENTS; i++) {
        if (!m->known[i]) continue;
        to = write_slice(to, nutrients[i].name);
        to = write_int(write_int(to, m->amounts[i]), 1);
    }
    return (size_t)(to - totals);
}
