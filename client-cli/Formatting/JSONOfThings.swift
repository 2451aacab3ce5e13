import MacrologArgumentParsing
import MacrologJSON
import Macrolog

// Entities and measurements as JSON, by the convention of `docs/JSON.md`: stable keys, units in their
// names, full ids, null for what is unknown or not set.

extension JSON {
    /// An id in full.
    static func id(_ id: Identifier) -> JSON { .string("\(id)") }

    /// A date such as `2026-11-20`.
    static func day(_ day: Day) -> JSON { .string("\(day)") }

    static func text(_ text: Text) -> JSON { .string(text.string) }

    /// Milliseconds since 1970 UTC as `2026-11-20T06:40:00.000Z`.
    static func instant(_ milliseconds: Int64?) -> JSON {
        milliseconds.map { .string(timeText($0)) } ?? .null
    }

    /// Milliseconds as seconds.
    static func seconds(_ milliseconds: Int64?) -> JSON {
        milliseconds.map { .decimal($0, scale: 3) } ?? .null
    }

    /// An amount of a nutrient in the unit of ``Nutrient/jsonKey``.
    static func amount(_ amount: Int64?, of nutrient: Nutrient) -> JSON {
        guard let amount else { return .null }
        return .decimal(amount, scale: nutrient.unit == .nanograms ? 6 : 3)
    }
}

extension Nutrient {
    /// The name with its unit: `energy_kcal`, `protein_g`, `sodium_mg`.
    var jsonKey: String {
        switch unit {
        case .millikilocalories: "\(key)_kcal"
        case .milligrams: "\(key)_g"
        case .nanograms: "\(key)_mg"
        default: key.string
        }
    }

    /// Whether a person defined it.
    var isOwn: Bool { !Nutrient.known.contains(self) }

    /// A nutrient that a person defined, with a number in the unit that the person chose.
    ///
    /// - Parameter known: Of how many parts it is known, for a sum.
    func ownJSON(_ amount: Int64?, known: Int64? = nil) -> JSON {
        .object(
            [
                JSON.Member("nutrient", .text(key)),
                JSON.Member("number", amount.map { .decimal($0, scale: 3) } ?? .null),
            ] + (known.map { [JSON.Member("parts_known_count", .integer($0))] } ?? []))
    }

    /// The nutrients that are always listed, known or not.
    static let main: [Nutrient] = [.energy, .protein, .carbs, .fat, .fiber]
}

extension Nutrients {
    var json: JSON {
        var members = Nutrient.main.map { JSON.Member($0.jsonKey, .amount(self[$0], of: $0)) }
        for entry in entries where !Nutrient.main.contains(entry.nutrient) && !entry.nutrient.isOwn
        {
            members.append(
                JSON.Member(entry.nutrient.jsonKey, .amount(entry.amount, of: entry.nutrient)))
        }
        let own = entries.filter { $0.nutrient.isOwn }.map { $0.nutrient.ownJSON($0.amount) }
        return .object(members + [JSON.Member("own_nutrients", .array(own))])
    }
}

extension NutrientTotals {
    /// The sums, and the coverage of each.
    var json: JSON {
        var listed = Nutrient.main
        for entry in entries where !listed.contains(entry.nutrient) && !entry.nutrient.isOwn {
            listed.append(entry.nutrient)
        }
        let own = entries.filter { $0.nutrient.isOwn }.map { entry in
            let known = coverage(of: entry.nutrient).known
            return entry.nutrient.ownJSON(self[entry.nutrient], known: known)
        }
        return .object([
            JSON.Member("part_count", .integer(parts)),
            JSON.Member(
                "sums", .object(listed.map { JSON.Member($0.jsonKey, .amount(self[$0], of: $0)) })),
            JSON.Member(
                "parts_known",
                .object(
                    listed.map {
                        JSON.Member($0.key.string, .integer(coverage(of: $0).known))
                    })),
            JSON.Member("own_nutrients", .array(own)),
        ])
    }
}

extension LocalDate {
    var members: [JSON.Member] {
        [
            JSON.Member("day", .day(day)), JSON.Member("occurred_at", .instant(occurredAt)),
            JSON.Member("zone", .optional(zone?.string)),
            JSON.Member("utc_offset_min", .optional(offsetMinutes)),
        ]
    }
}

extension Amount {
    var json: JSON {
        .object([
            JSON.Member("number", .decimal(milli, scale: 3)), JSON.Member("unit", .text(unit)),
            JSON.Member("mass_g", milligrams.map { .decimal($0, scale: 3) } ?? .null),
        ])
    }
}

extension MealItem {
    var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("meal_id", .id(mealID)),
            JSON.Member("name", .optional(name)),
            JSON.Member("food_id", foodID.map { .id($0) } ?? .null),
            JSON.Member("amount", amount?.json ?? .null),
            JSON.Member("nutrients", nutrients.json),
        ])
    }
}

extension MealDetail {
    var json: JSON {
        var members = [JSON.Member("id", .id(meal.id))] + meal.localDate.members
        members += [
            JSON.Member("slot", .optional(meal.type?.string)),
            JSON.Member("name", .optional(meal.dishName)),
            JSON.Member("consumed", .bool(meal.isConsumed)),
            JSON.Member("consumed_at", .instant(meal.consumedAt)),
            JSON.Member(
                "consumed_share_percent", .decimal(meal.consumedShareBasisPoints, scale: 2)),
            JSON.Member("estimated", .bool(meal.isEstimated ?? false)),
            JSON.Member("note", .optional(meal.note)),
            JSON.Member("tags", .array(meal.tags.map { .string($0) })),
            JSON.Member("photos", .array(meal.photoHashes.map { .string(hexadecimal($0)) })),
            JSON.Member("conflict", .bool(hasConflict)),
            JSON.Member("edited_by_newer_version", .bool(isEditedByNewerVersion)),
            JSON.Member("nutrients", meal.nutrients.json),
            JSON.Member("items", .array(items.map(\.json))),
            JSON.Member("totals", totals.json),
        ]
        return .object(members)
    }
}

extension WeighIn {
    var json: JSON {
        .object(
            [JSON.Member("id", .id(id))] + localDate.members + [
                JSON.Member("weight_kg", .decimal(grams, scale: 3)),
                JSON.Member(
                    "body_fat_percent", bodyFatBasisPoints.map { .decimal($0, scale: 2) } ?? .null),
                JSON.Member("note", .optional(note)),
            ])
    }
}

extension Food {
    var json: JSON { .object(members) }

    /// Adds what a newer version wrote about it.
    func json(newer: NewerParts?) -> JSON { .object(members + newer.members) }

    /// Adds the amount that was logged last.
    func json(last: Amount?) -> JSON {
        .object(members + [JSON.Member("last_portion", last?.json ?? .null)])
    }

    private var members: [JSON.Member] {
        [
            JSON.Member("id", .id(id)), JSON.Member("name", .string(name)),
            JSON.Member("brand", .optional(brand)), JSON.Member("barcode", .optional(gtin)),
            JSON.Member("basis", .text((basis ?? .per100Grams).name)),
            JSON.Member("serving", serving?.json ?? .null),
            JSON.Member("carb_basis", .text((carbBasis ?? .total).name)),
            JSON.Member("source", .text((source ?? .user).name)),
            JSON.Member("favorite", .bool(isFavourite ?? false)),
            JSON.Member("archived", .bool(isArchived ?? false)),
            JSON.Member("nutrients", nutrients.json),
        ]
    }
}

extension NetCarbs {
    /// Adds the upper bound and the coverage.
    var member: JSON.Member {
        JSON.Member(
            "net_carbs",
            .object([
                JSON.Member("net_carbs_g", .amount(milligrams, of: .carbs)),
                JSON.Member("parts_known_count", .integer(coverage.known)),
                JSON.Member("part_count", .integer(coverage.parts)),
                JSON.Member("upper_bound", .bool(isUpperBound)),
            ]))
    }
}
