/// Inputs: what a provider of models answers, and a form with a photo as a stranger may send it.
import MacrologAnalysis
import MacrologGateway
import MacrologNutrition

extension FuzzTarget {
    /// The first byte is the interface, the rest is the body of a response.
    static let answer = FuzzTarget("answer", inputBytesMax: 8_192) { input in
        let all = ProviderInterface.allCases
        guard let first = input.first,
            let answer = try? FoodAnswer(
                response: Array(input.dropFirst()), of: all[Int(first) % all.count], model: "m")
        else { return }
        try promise((0...10_000).contains(answer.confidenceBasisPoints), "confidence is a share")
        try promise(answer.model.utf8.count <= 80, "the model's name fits")
        try promise((answer.dish ?? "x").utf8.count <= 200, "the dish's name fits")
        try promise(answer.items.isEmpty == (answer.found != .food), "only food has items")
        let stored = TemplateItem.value(answer.items)
        try promise(TemplateItem.list(stored) == answer.items, "every item can be stored")
        for nutrient in [Nutrient.energy, .protein, .carbs, .fat] where !answer.items.isEmpty {
            let sum = answer.items.reduce(0) { $0 + ($1.nutrients[nutrient] ?? 0) }
            try promise(answer.totals[nutrient] == sum, "totals are sums")
        }
        _ = (answer.hasTotalMismatch, answer.isInconsistent, answer.isUnsure)
    }

    /// The first line is the content type, the rest is the body.
    static let multipart = FuzzTarget("multipart", inputBytesMax: 2_048) { input in
        let type = String(decoding: input.prefix { $0 != 10 }, as: UTF8.self)
        let body = Array(input.drop { $0 != 10 }.dropFirst())
        guard let form = try? Multipart(body, type: type) else { return }
        try promise(form.parts.count <= 16, "a form has few parts")
        try promise(
            Set(form.parts.map(\.name)).count == form.parts.count, "each part has its own name")
        for part in form.parts {
            try promise(part.bytes.count < body.count, "a part is within the body")
            try promise(form[part.name] == part.bytes, "a part is found by its name")
        }
    }
}
