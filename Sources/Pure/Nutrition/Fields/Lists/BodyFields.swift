import MacrologEvents

/// What is kept about the body: weight, measures, ketones, movement, water, fasts.
extension Catalogue {
    static let weighIn: [FieldSpec] = [
        localDate,
        number(
            "weight_g", .grams, 2_000...650_000, soft: 20_000...350_000, isRequired: true),
        number("body_fat_bp", .basisPoints, 200...7_500),
        note,
        choice("source", WeighSource.self),
        externalIDs,
    ]

    static let bodyFat: [FieldSpec] = [
        localDate,
        number("body_fat_bp", .basisPoints, 200...7_500, isRequired: true),
        note,
        choice("source", WeighSource.self),
        externalIDs,
    ]

    static let bodyMeasure: [FieldSpec] = [
        localDate,
        choice("kind", MeasureKind.self, isRequired: true),
        number("value_mm", .millimeters, 50...4_000, isRequired: true),
        note,
    ]

    static let ketone: [FieldSpec] = [
        localDate,
        number("level_umol", .micromoles, 0...30_000, soft: 0...3_000, isRequired: true),
        choice("method", KetoneMethod.self),
        note,
    ]

    static let activity: [FieldSpec] = [
        localDate,
        text("name", 1...120),
        FieldSpec("kind", .word),
        number("duration_s", .seconds, 0...172_800),
        number("energy_mkcal", .millikilocalories, 0...20_000_000, soft: 0...5_000_000),
        choice("energy_kind", EnergyKind.self),
        number("steps", .count, 0...300_000),
        number("met_milli", .thousandths, 0...30_000),
        FieldSpec("source", .word),
        externalIDs,
    ]

    static let energyDay: [FieldSpec] = [
        FieldSpec("date", .day, isRequired: true),
        FieldSpec("source", .word, isRequired: true),
        number("active_mkcal", .millikilocalories, 0...15_000_000),
        number("basal_mkcal", .millikilocalories, 0...15_000_000),
        number("total_mkcal", .millikilocalories, 0...30_000_000),
        number("steps", .count, 0...300_000),
        number("distance_m", .meters, 0...1_000_000),
    ]

    static let water: [FieldSpec] = [
        localDate,
        number("volume_ul", .microliters, 1_000...10_000_000, isRequired: true),
        text("container", 0...40),
    ]

    static let fast: [FieldSpec] = [
        FieldSpec("started_at", .instant, isRequired: true),
        FieldSpec("ended_at", .instant),
        number("offset_min", .minutes, -840...840),
        number("target_min", .minutes, 60...10_080),
        text("preset", 0...20),
        note,
        FieldSpec("cancelled", .flag),
    ]
}
