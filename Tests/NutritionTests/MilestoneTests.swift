import MacrologNutrition
import Testing

/// Goal: a milestone is found when it is reached, and at no other step of a sequence.
/// Method: streaks that grow, jump and break; weights that come to the target from both sides.
@Suite struct MilestoneTests {
    /// What is found while a streak takes these lengths.
    private func found(_ lengths: [Int]) -> [Int?] {
        zip(lengths, lengths.dropFirst()).map { Milestone.streak(after: $0, upTo: $1) }
    }

    @Test func `a streak that grows day by day is found at each length, once`() {
        let all = found(Array(0...1_100)).compactMap { $0 }
        #expect(all == [3, 7, 14, 30, 60, 100, 180, 365, 730, 1_095])
    }

    @Test func `one that jumps reaches the greatest length, and one that breaks none`() {
        #expect(found([2, 40, 41, 0, 2, 3]) == [30, nil, nil, nil, 3])
        #expect(found([0, 5_000]) == [4_745])
        #expect(found([7, 7, 6, 7]) == [nil, nil, 7])
    }

    @Test func `the target is reached from above or from below, and not left`() {
        #expect(Milestone.weight(after: 80_100, upTo: 80_000, target: 80_000))
        #expect(Milestone.weight(after: 80_100, upTo: 79_000, target: 80_000))
        #expect(Milestone.weight(after: 50_000, upTo: 52_000, target: 52_000))
        #expect(!Milestone.weight(after: 80_000, upTo: 79_000, target: 80_000))
        #expect(!Milestone.weight(after: 80_100, upTo: 80_050, target: 80_000))
        #expect(!Milestone.weight(after: 79_000, upTo: 79_500, target: 80_000))
    }
}
