/// A person confirms what a model proposed, as it is or with changes; only then it counts.
public import MacrologDiary
public import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels

/// What is changed of a proposal when it is confirmed. Parts are counted from 1.
public struct ProposalChanges: Sendable {
    /// Parts that were not there.
    public var without: Set<Int> = []
    /// The mass of parts, in milligrams; their nutrients follow.
    public var masses: [Int: Int64] = [:]
    /// Another name.
    public var name: String?
    /// Whether the parts of the last meal of that dish that was corrected are taken.
    public var takesEarlier = false

    /// No changes.
    public init() {}

    var isEmpty: Bool { without.isEmpty && masses.isEmpty && !takesEarlier }
}

extension Diary {
    /// Confirms the best proposal for a meal: its parts become those of the meal, and it counts as eaten.
    /// Which proposal it was stays with the meal, so that it can be compared.
    ///
    /// Two devices that confirm the same proposal make the same parts.
    ///
    /// - Parameters:
    ///   - instant: When it was eaten, in milliseconds since 1970 UTC; `nil` for now, or for a meal of another
    ///     day at its own time.
    /// - Throws: ``ProposalError``.
    public mutating func confirm(
        _ id: Identifier, _ changes: ProposalChanges = ProposalChanges(), at instant: Int64? = nil
    ) throws {
        var meal = try require(Meal.self, id)
        guard !meal.isConsumed else { throw ProposalError.confirmed }
        let best = try proposals(for: id).first
        guard let best, best.outcome == .ok else {
            throw try isWaiting(id) ? ProposalError.waiting : ProposalError.noProposal
        }
        let proposed = best.items(of: id)
        let present = try self.meal(id)?.items ?? []
        let items = present.isEmpty ? try changed(proposed, of: best, by: changes) : present
        // A meal that was recorded with its proposal has the parts already, perhaps changed since.
        let ids = Set(proposed.map(\.id))
        guard present.isEmpty || changes.isEmpty && present.allSatisfy({ ids.contains($0.id) })
        else { throw ProposalError.hasParts }
        guard !items.isEmpty else { throw ProposalError.noPartLeft }
        let sum = items.map(\.nutrients).sum
        guard !meal.nutrients.entries.contains(where: { sum[$0.nutrient] != nil }) else {
            throw ProposalError.hasValues
        }
        if present.isEmpty { for item in items { try put(item) } }
        if let name = changes.name ?? (meal.dishName?.isEmpty == false ? nil : best.dish) {
            meal.dishName = name
        }
        meal.isConsumed = true
        meal.consumedAt = try instant ?? whenEaten(meal)
        meal.isEstimated = true
        meal.analysisID = best.id
        meal.reportedTotal = best.reportedTotal
        meal.healthScore = best.healthScore
        if !meal.photoHashes.isEmpty { meal.source = .photo }
        try save(meal)
    }

    /// Rejects what was proposed for a meal, and what is still asked about it. The meal stays, planned, without
    /// the parts that were proposed, unless a person has changed them.
    ///
    /// - Throws: ``ProposalError`` if there is nothing to reject, or the meal counts already.
    package mutating func reject(_ id: Identifier) throws {
        var meal = try require(Meal.self, id)
        guard !meal.isConsumed else { throw ProposalError.confirmed }
        let analyses = try withStore { store throws(LogError) in try store.analyses(of: id) }
        guard !analyses.isEmpty else { throw ProposalError.noProposal }
        let proposed = Set(analyses.flatMap { Proposal($0).items(of: id).map(\.id) })
        for item in try self.meal(id)?.items ?? []
        where proposed.contains(item.id) && item.isEditedByUser != true {
            try delete(MealItem.self, item.id)
        }
        for analysis in analyses { try delete(Analysis.self, analysis.id) }
        meal.analysisID = nil
        meal.isEstimated = nil
        meal.reportedTotal = nil
        meal.healthScore = nil
        try save(meal)
    }

    /// Whether a model was asked about a meal, or has proposed something, and the person has not rejected it.
    package func isProposed(_ meal: Identifier) throws -> Bool {
        try withStore { store throws(LogError) in try !store.analyses(of: meal).isEmpty }
    }

    private func changed(
        _ proposed: [MealItem], of best: Proposal, by changes: ProposalChanges
    ) throws -> [MealItem] {
        if changes.takesEarlier { return try earlier(than: proposed, of: best) }
        var items = proposed
        for number in changes.without.union(changes.masses.keys)
        where !(1...items.count).contains(number) {
            throw ProposalError.noSuchPart(number, of: items.count)
        }
        for (number, milligrams) in changes.masses {
            guard let old = items[number - 1].amount?.milligrams, old > 0 else {
                throw ProposalError.unknownMass(number)
            }
            items[number - 1].nutrients = items[number - 1].nutrients.scaled(
                part: milligrams, whole: old)
            items[number - 1].amount = Amount(milligrams: milligrams)
            items[number - 1].isEditedByUser = true
        }
        return items.enumerated().filter { !changes.without.contains($0.offset + 1) }.map(\.element)
    }

    /// The parts of the last corrected meal of the dish, with ids of this one.
    private func earlier(than proposed: [MealItem], of best: Proposal) throws -> [MealItem] {
        guard let meal = proposed.first?.mealID, let dish = best.dish,
            let detail = try correctedMeal(of: dish, except: meal)
        else { throw ProposalError.noEarlierMeal }
        return detail.items.enumerated().map { index, old in
            var item = TemplateItem(old).item(
                id: Identities.analyzedItem(of: best.question, index), of: meal)
            item.position = String(String(10_001 + index).dropFirst())
            item.isEditedByUser = true
            return item
        }
    }
}
