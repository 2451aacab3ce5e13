import MacrologEvents

/// What is kept about eating: meals and their parts, templates, plans, photos.
extension Catalogue {
    static let meal: [FieldSpec] =
        [
            localDate,
            FieldSpec("meal_type", .slot),
            text("dish_name", 0...200),
            FieldSpec("consumed", .flag),
            FieldSpec("consumed_at", .instant),
            number("consumed_share_bp", .basisPoints, 0...100_000),
            note,
            FieldSpec("tags", .text(bytes: 1...50, lines: false), elementsMax: 50),
            FieldSpec("estimated", .flag),
            number("health_score", .count, 0...10),
            FieldSpec("photo_sha256s", .hash, elementsMax: 10),
            FieldSpec("reported_total", .totals),
            choice("source", MealSource.self),
            FieldSpec("analysis_id", .reference),
            externalIDs,
        ] + nutrients

    static let mealItem: [FieldSpec] =
        [
            FieldSpec("meal_id", .reference, isRequired: true),
            text("name", 1...200),
            text("brand", 0...120),
            FieldSpec("food_id", .reference),
            FieldSpec("recipe_id", .reference),
            FieldSpec("amount", .amount),
            text("position", 1...64),
            FieldSpec("edited_by_user", .flag),
        ] + nutrients

    static let mealTemplate: [FieldSpec] = [
        text("name", 1...200, isRequired: true),
        FieldSpec("items", .items),
    ]

    static let planEntry: [FieldSpec] = [
        localDate,
        FieldSpec("slot", .slot),
        text("name", 1...200),
        FieldSpec("recipe_id", .reference),
        FieldSpec("food_id", .reference),
        FieldSpec("template_id", .reference),
        FieldSpec("amount", .amount),
        FieldSpec("done_meal_id", .reference),
    ]

    static let photo: [FieldSpec] = [
        FieldSpec("sha256", .hash, isRequired: true),
        choice("mime", PhotoType.self),
        number("bytes", .bytes, 1...15_728_640),
        number("width", .count, 1...20_000),
        number("height", .count, 1...20_000),
        FieldSpec("taken_at", .instant),
        text("caption", 0...500),
    ]

    static let analysis: [FieldSpec] = [
        FieldSpec("photo_sha256", .hash),
        choice("status", AnalysisStatus.self, isRequired: true),
        text("provider", 0...60),
        text("model", 0...80),
        FieldSpec("items", .items),
        number("confidence_bp", .basisPoints, 0...10_000),
        FieldSpec("total_mismatch", .flag),
        text("error", 0...500, lines: true),
        number("latency_ms", .milliseconds, 0...3_600_000),
        text("raw", 0...16_384, lines: true),
    ]
}
