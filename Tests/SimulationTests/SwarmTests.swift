import Dispatch
import MacrologSimulation
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: every promise holds under every mix of faults, and the seeds that once failed still pass.
/// Method: many small worlds on all cores, each compared with an oracle when all is quiet. The gate
/// plays many more with `story --seeds`. To replay one: `swift run story --seed=42`, with `--model`
/// for the model.
@Suite(.serialized) struct SimulationSwarmTests {
    private static let base = Dice.firstSeed

    @Test(arguments: [(Regressions.Test.model, UInt64(1_000)), (.world, 20)])
    func `whatever strikes, all keep every promise and agree with the oracle`(
        test: Regressions.Test, count: UInt64
    ) {
        let report = Report(test, Self.base..<Self.base + count)
        #expect(report.isInOrder, "\(report.page)")
    }

    @Test(arguments: Regressions.all.map { ($0.test, $0.seed) })
    func `what failed once does not fail again`(test: Regressions.Test, seed: UInt64) throws {
        let played = try Played(test, seed: seed)
        #expect(played.problems.isEmpty, "\(test) seed \(seed): \(played.problems)")
    }

    /// Alone, and with others on the same cores: what the scheduler does is no part of a story. (Of
    /// seeds 148 and 156 it once was, where the server's writer and a reader raced for a power failure.)
    @Test(arguments: [Regressions.Test.model, .world])
    func `one seed tells one story, whatever else runs`(test: Regressions.Test) throws {
        for seed in [Self.base] + (test == .world ? [148, 156] : []) {
            let alone = try Played(test, seed: seed).story
            let stories = Mutex<[Result<[String], any Error>]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let story = Result { try Played(test, seed: seed).story }
                stories.withLock { $0.append(story) }
            }
            let beside = try stories.withLock { try $0.map { try $0.get() } }
            #expect(!alone.isEmpty && beside.allSatisfy { $0 == alone }, "\(test) seed \(seed)")
        }
    }
}
