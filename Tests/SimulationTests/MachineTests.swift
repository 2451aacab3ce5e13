import MacrologSimulation
import MacrologEngine
import MacrologRecovery
import MacrologTestSupport
import Testing

/// Goal: whatever the server refuses, the machine continues with everything else, never in a tight loop.
/// Method: the real machine, told what happened.
@Suite struct MachineTests {
    private var dice = Dice(seed: 1)

    private func machine() -> (SyncMachine, Dice) {
        var (machine, dice) = (SyncMachine(eventsMax: 500, restMilliseconds: 10_000), dice)
        _ = machine.handle(.start, random: &dice)
        return (machine, dice)
    }

    /// The exchange that the actions ask for: its number and how many events it may push.
    private func exchange(_ actions: [SyncMachine.Action]) -> (number: Int, pushMax: Int)? {
        for case .exchange(let number, _, let pushMax) in actions { return (number, pushMax) }
        return nil
    }

    private func progress(_ cursor: Int64, of head: Int64) -> SyncMachine.Progress {
        SyncMachine.Progress(unsealed: 3, cursor: cursor, head: head)
    }

    static let errors: [SyncError] = [
        SyncError(
            .refused(status: 400, problem: "urn:macrolog:problem:malformed_event", detail: "")),
        SyncError(.refused(status: 409, problem: Problem.expectedSeq, detail: "")),
        SyncError(.refused(status: 413, problem: "urn:macrolog:problem:too_large", detail: "")),
        SyncError(
            .refused(status: 507, problem: "urn:macrolog:problem:storage_full", detail: ""),
            retryAfter: 300_000),
    ]

    @Test(arguments: errors)
    func `while a push is refused, page after page and all news are pulled`(
        error: SyncError
    ) throws {
        var (machine, dice) = machine()
        let actions = machine.handle(.failed(exchange: 1, error.errorClass), random: &dice)
        var asked = try #require(exchange(actions))
        #expect(asked.pushMax == 0)
        for cursor in 1...4 as ClosedRange<Int64> {
            let answer = SyncMachine.Event.answered(
                exchange: asked.number, progress(cursor * 500, of: 2_500))
            asked = try #require(exchange(machine.handle(answer, random: &dice)))
            #expect(asked.pushMax == 0)
        }
        let end = SyncMachine.Event.answered(exchange: asked.number, progress(2_500, of: 2_500))
        #expect(exchange(machine.handle(end, random: &dice)) == nil)
        #expect(machine.state == .holding)
        // Someone else records something: that is pulled at once. News that come all the time
        // don't keep anything from being pushed again.
        for _ in 0..<1_000 {
            asked = try #require(exchange(machine.handle(.hint, random: &dice)))
            if asked.pushMax > 0 { break }
            _ = machine.handle(
                .answered(exchange: asked.number, progress(2_501, of: 2_501)), random: &dice)
            #expect(machine.state == .holding)
        }
        #expect(asked.pushMax == 250)
    }

    @Test func `a recovery that changes nothing is tried once, and again only after a while`()
        throws
    {
        var (machine, dice) = machine()
        let divergent = SyncError(.refused(status: 409, problem: Problem.divergent, detail: ""))
        var actions = machine.handle(.failed(exchange: 1, divergent.errorClass), random: &dice)
        #expect(actions.contains(.recover(2, isFirst: true, eventsMax: machine.eventsMax)))
        #expect(machine.state == .recovering(.detect))
        actions = machine.handle(.stepped(exchange: 2, next: .locate), random: &dice)
        #expect(actions.contains(.recover(3, isFirst: false, eventsMax: machine.eventsMax)))
        #expect(machine.state == .recovering(.locate))
        actions = machine.handle(.recovered(exchange: 3, hasRepaired: false), random: &dice)
        var asked = try #require(exchange(actions))
        // Perhaps only what is pushed is divergent: what pushes nothing may succeed.
        actions = machine.handle(
            .failed(exchange: asked.number, divergent.errorClass), random: &dice)
        asked = try #require(exchange(actions))
        #expect(asked.pushMax == 0)
        actions = machine.handle(
            .failed(exchange: asked.number, divergent.errorClass), random: &dice)
        #expect(machine.state == .waiting && exchange(actions) == nil)
        asked = try #require(exchange(machine.handle(.timer, random: &dice)))
        actions = machine.handle(
            .failed(exchange: asked.number, divergent.errorClass), random: &dice)
        #expect(
            actions.contains(
                .recover(asked.number + 1, isFirst: true, eventsMax: machine.eventsMax)))
    }

    @Test func `a repair that put something right continues at once`() throws {
        var (machine, dice) = machine()
        let damaged = SyncError(.damaged)
        for number in 0..<20 {
            let actions = machine.handle(
                .failed(exchange: number * 2 + 1, damaged.errorClass), random: &dice)
            #expect(
                actions.contains(
                    .recover(number * 2 + 2, isFirst: true, eventsMax: machine.eventsMax)))
            let after = machine.handle(
                .recovered(exchange: number * 2 + 2, hasRepaired: true), random: &dice)
            #expect(exchange(after)?.number == number * 2 + 3)
        }
    }
}
