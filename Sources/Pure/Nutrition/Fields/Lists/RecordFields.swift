import MacrologEvents

/// What is kept about the record itself: days, imports, devices.
extension Catalogue {
    static let dayLog: [FieldSpec] = [
        FieldSpec("date", .day, isRequired: true),
        choice("status", DayStatus.self),
        note,
        choice("goal_override", GoalOverride.self),
        number("mood", .count, 1...5),
    ]

    static let importBatch: [FieldSpec] = [
        FieldSpec("kind", .word, isRequired: true),
        FieldSpec("file_sha256", .hash),
        number("rows_new", .count, 0...1_000_000_000),
        number("rows_same", .count, 0...1_000_000_000),
        number("rows_changed", .count, 0...1_000_000_000),
        number("rows_rejected", .count, 0...1_000_000_000),
        FieldSpec("undone", .flag),
    ]

    static let device: [FieldSpec] = [
        text("name", 1...60, isRequired: true),
        FieldSpec("platform", .word),
        FieldSpec("created_at", .instant),
    ]
}
