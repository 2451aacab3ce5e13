package import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Questions about meals, and the answers to them.
enum Analyses {
    static let model = ReadModel(
        tables: [table], folds: [.rows(of: .analysis, in: table) { rows($0) }])

    /// `question` is the id of the question, also in its own row. `dish` is folded for searching.
    static let table = ReadModelTable(
        "analysis", key: [.blob("meal"), .blob("id")],
        columns: [.text("status"), .blob("question"), .text("dish")],
        also: """
            CREATE INDEX analysis_wanted ON analysis (id) WHERE status = 'wanted';
            CREATE INDEX analysis_dish ON analysis (dish) WHERE dish <> ''
            """)

    private static func rows(_ entity: Readable) -> [[Value]] {
        guard let analysis = entity.entity(Analysis.self), let meal = analysis.mealID,
            let status = analysis.status
        else { return [] }
        return [
            [
                .id(meal), .id(analysis.id), .text(status.name),
                .id(analysis.questionID ?? analysis.id), .text(folded(analysis.dishName)),
            ]
        ]
    }

    static func folded(_ dish: String?) -> UTF8Text { UTF8Text(SearchText(dish ?? "").text) }
}

/// Reading them.
extension Store {
    /// The questions about a meal and their answers, oldest id first.
    package mutating func analyses(of meal: Identifier) throws(LogError) -> [Analysis] {
        let ids = try db.all("SELECT id FROM analysis WHERE meal = ? ORDER BY id", meal) {
            $0.identifier(0)
        }
        return try entities(Analysis.self, ids)
    }

    /// The questions that no device has answered, oldest first.
    package mutating func openQuestions() throws(LogError) -> [Analysis] {
        let ids = try db.all(
            """
            SELECT id FROM analysis AS asked WHERE status = 'wanted' AND NOT EXISTS (
                SELECT 1 FROM analysis AS answer WHERE answer.meal = asked.meal
                AND answer.question = asked.id AND answer.status <> 'wanted') ORDER BY id
            """
        ) { $0.identifier(0) }
        return try entities(Analysis.self, ids)
    }

    /// The meals for which an answer proposed a dish of this name, the latest answer first.
    package mutating func meals(analyzedAs dish: String) throws(LogError) -> [Identifier] {
        let name = Analyses.folded(dish)
        guard name.byteCount > 0 else { return [] }
        return try db.all(
            "SELECT DISTINCT meal FROM analysis WHERE dish = ? AND dish <> '' ORDER BY id DESC",
            name
        ) { $0.identifier(0) }
    }
}
