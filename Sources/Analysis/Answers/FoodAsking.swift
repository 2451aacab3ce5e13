/// Asks a provider what a meal holds.

extension Provider {
    /// Sends a question about a meal and reads the answer. Blocks, for a minute and a half at most.
    ///
    /// - Throws: ``AnalysisError``.
    public func answer(_ food: FoodQuestion) throws(AnalysisError) -> FoodAnswer {
        try FoodAnswer(try ask(food.question), model: settings.model)
    }
}

extension FoodAnswer {
    /// Reads the body of a provider's response with status 200, whatever it is.
    package init(
        response: [UInt8], of interface: ProviderInterface, model: String
    ) throws(AnalysisError) {
        let body = try Provider.document(response)
        let reply = try interface.interface.reply(
            body, to: FoodQuestion(description: "").question)
        try self.init(reply, model: model)
    }
}
