import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: whatever has happened before and after the backups, the stores that are brought back are one service again.
/// Method: by seed, people record, move, come and go; stores are copied at moments of their own and put back; the
/// stores are brought back in runs that are cut after some step; and then everyone syncs. Twice in a row.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct RestoredHistoryTests {
    @Test(arguments: Dice.seeds(3)) func `every history ends with one service`(seed: UInt64) throws
    {
        print("restored stores: MACROLOG_TEST_SEED_BASE=\(seed)")
        var history = try RestoredHistory(seed)
        for _ in 0..<3 { try history.act() }
        for _ in 0..<2 {
            try history.loseAndRestore()
            try history.check()
        }
        print("restored stores: seed \(seed): \(history.story.joined(separator: ", "))")
    }
}

private struct RestoredHistory {
    struct Cut: Error {}

    let seed: UInt64
    let rig: RestoredRig
    var dice: Dice
    var people: [RestoredPerson] = []
    /// The addresses of deleted accounts that have no later account.
    var deleted: Set<String> = []
    /// The addresses of the numbers that were given.
    var owners: [Space: String] = [:]
    var number: UInt64 = 0
    var epoch: UInt32 = 20
    var story: [String] = []

    init(_ seed: UInt64) throws {
        self.seed = seed
        dice = Dice(seed: seed)
        rig = try RestoredRig()
        for _ in 0..<3 { try register() }
    }

    private var what: Comment { "seed \(seed): \(story.joined(separator: ", "))" }

    private mutating func register() throws {
        number += 1
        let old = dice.percent(40) ? deleted.sorted().first : nil
        var person = RestoredPerson(number, email: old)
        let store = dice.percent(50) ? "a" : "b"
        person.device.record("first")
        try rig.serve(newIn: store) { try person.sync($0) }
        deleted.remove(person.email)
        people.append(person)
        try noteOwner(person)
        story.append("\(person.email) in \(store)")
    }

    private mutating func noteOwner(_ person: RestoredPerson) throws {
        let space = try person.space(rig)
        #expect(owners[space] ?? person.email == person.email, what)
        owners[space] = person.email
    }

    mutating func act() throws {
        let at = dice.below(people.count)
        switch dice.below(10) {
        case 0..<4:
            people[at].device.record("meal \(people[at].device.seq)")
            do { try rig.serve { try people[at].sync($0) } } catch let error as Unexpected {
                // It is closed for a move.
                guard error.response.hasPrefix("503") else { throw error }
            }
        case 4..<8: try move(at)
        case 8 where people.count < 6: try register()
        default:
            let email = people[at].email
            guard people.count > 2, dice.percent(60) else { return }
            let answer = try? rig.serve {
                try $0.administer("user delete", ["email": .string(email)])
            }
            guard answer != nil else { return }
            people.remove(at: at)
            deleted.insert(email)
            story.append("\(email) deleted")
        }
    }

    private mutating func move(_ at: Int) throws {
        let target = dice.percent(50) ? "a" : "b"
        let steps = dice.percent(50) ? dice.below(24) : 1_000
        let left = Mutex(steps)
        do {
            try rig.move(people[at].space(rig), to: target) { _ in
                try left.withLock { left in
                    left -= 1
                    if left < 0 { throw Cut() }
                }
            }
            story.append("\(people[at].email) → \(target)")
        } catch is Cut {
            story.append("\(people[at].email) → \(target) cut after \(steps)")
        } catch AccountMoveError.isMoving {}
    }

    mutating func loseAndRestore() throws {
        let restored: [String] = dice.pick([["a"], ["b"], ["b"], ["b", "a"], ["a", "b"]]) ?? []
        var backups: [(String, String)] = []
        for store in restored {
            for _ in 0..<dice.below(4) { try act() }
            backups.append((store, try rig.backup(store)))
            story.append("copy of \(store)")
        }
        for _ in 0..<4 + dice.below(6) { try act() }
        for (store, backup) in backups { try rig.putBack(backup, as: store) }
        // The directory, if it did not go back, knows who was deleted.
        let ledger = restored.contains("a") || dice.percent(50) ? "server.db" : "other.db"
        var first: UInt32?
        while true {
            epoch += 1
            let left = Mutex(dice.percent(70) ? dice.below(10) : 1_000)
            let isMarked = Mutex(false)
            do {
                let report = try rig.renew(Set(restored), epoch: epoch, ledger: ledger) { step in
                    if case .marked = step { isMarked.withLock { $0 = true } }
                    try left.withLock { left in
                        left -= 1
                        if left < 0 { throw Cut() }
                    }
                }
                #expect(first == nil || restored.count > 1 || report.epoch == first, what)
                break
            } catch is Cut {
                first = first ?? epoch
                let isServed = (try? rig.serve { _ in true }) ?? false
                let marks = try restored.filter {
                    try rig.query(
                        "SELECT count(*) FROM migration WHERE name LIKE 'restoring%'", $0) == "1"
                }
                #expect(isServed == marks.isEmpty, what)
                // It was cut after the last step.
                if marks.isEmpty { break }
            }
        }
        story.append("\(restored) back")
    }

    mutating func check() throws {
        try rig.check(what)
        let what = what
        try rig.serve { server in
            for at in people.indices {
                do { try people[at].sync(server) } catch {
                    Issue.record(error, "\(people[at].email), \(what)")
                    continue
                }
                let person = people[at]
                #expect(person.device.cursor == person.device.seq, what)
                let isRead = try person.isRead(from: server)
                #expect(isRead, what)
            }
            for email in deleted {
                let answer = server.post(
                    "/v1/auth/login",
                    ["email": .string(email), "password": .string(password), "device": "x"])
                #expect(answer.status == 401, "\(email) is deleted: \(what)")
            }
        }
        for person in people {
            try noteOwner(person)
            #expect(try rig.serving(person.space(rig)).count == 1, what)
        }
    }
}
