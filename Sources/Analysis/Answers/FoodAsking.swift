/// Asks a provider what a meal holds.

extension Provider {
    /// Sends a question about a meal and reads the answer. Blocks, for a minute and a half at most.
    ///
    /// - Throws: ``AnalysisError``.
    public func answer(_ food: FoodQuestion) throws(AnalysisError) -> FoodAnswer {
        try FoodAnswer(try ask(food.question), model: settings.model)
    }
}
