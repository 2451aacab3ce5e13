import MacrologEvents
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import MacrologEngine
import MacrologTestSupport

/// The actions of a device in the scripts.
extension DeviceSubject {
    private func reading(_ milliseconds: Int64) -> ClockSample {
        ClockSample(
            wall: Peer.now + milliseconds, monotonic: milliseconds,
            boot: Identifier(high: 1, low: 1))
    }

    /// Records meals, in one transaction.
    func record(_ count: Int, _ dice: inout Dice) throws {
        let drafts = Peer.drafts(count, &dice)
        try withStore { store in
            _ = try store.record(drafts, at: reading(store.log.lastSeq * 1_000))
        }
    }

    /// Pushes the events that fit into one request and applies the answer, in one transaction.
    func exchange(eventsMax: Int = 20) throws {
        let peer = try peer()
        try withStore { store in
            let request = try store.syncRequest(
                eventsMax: eventsMax, admitted: 0, now: reading(3_600_000))
            try store.apply(SyncExchange.answer(.success(peer.answer(request))))
        }
    }

    /// Rotates its device ID.
    func leave(_ dice: inout Dice) throws {
        let next = Identifier.v7(milliseconds: Peer.now, random: &dice)
        try withStore { try $0.beginRotation(to: next) }
    }

    /// Recovers the server's log, up to the one transaction at the end.
    func recover(_ dice: inout Dice) throws {
        let peer = try peer()
        let next = Identifier.v7(milliseconds: Peer.now, random: &dice)
        try withStore { try Self.recover(&$0, from: peer, as: next) }
    }

    private static func recover(
        _ store: inout Store, from peer: Peer, as next: Identifier
    ) throws {
        var recovering = try store.recovering()
        while let request = try recovering.request(
            of: &store, eventsMax: 20, accessToken: peer.accessToken)
        {
            try recovering.learn(.success(peer.send(request.request)), to: request)
        }
        _ = try store.recover(recovering, as: next)
    }

    /// Records a meal and overwrites one of its fields repeatedly, in one transaction.
    func recordEdits(_ count: Int, _ dice: inout Dice) throws {
        var meal = Peer.meal(&dice)
        var drafts = Peer.drafts(adding: meal)
        for number in 1...count {
            var edited = meal
            edited[.protein] = Int64(number) * 1_000
            if let draft = Draft.edit(from: meal, to: edited, today: Person.today) {
                drafts.append(draft)
            }
            meal = edited
        }
        try withStore { _ = try $0.record(drafts, at: reading($0.log.lastSeq * 1_000)) }
    }

    /// Compacts superseded payloads.
    func compact() throws {
        try withStore { _ = try $0.compact(before: Peer.now + 86_400_000) }
    }

    /// Stores a photo: first the bytes, then the meal that names them.
    func attach(_ dice: inout Dice) throws {
        let bytes = (0..<dice.roll(200...2_000)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        var meal = Peer.meal(&dice)
        meal.photoHashes = [try blobs.keep(bytes)]
        try withStore {
            _ = try $0.record(Peer.drafts(adding: meal), at: reading($0.log.lastSeq * 1_000))
        }
    }

    /// Verifies the file, and repairs what is damaged from the server.
    func repair() throws {
        let peer = try peer()
        // An unused device ID.
        var dice = Dice(seed: 5_000)
        let next = Identifier.v7(milliseconds: Peer.now, random: &dice)
        try withStore { store in
            guard try !Self.look(&store, next) else { return }
            try Self.recover(&store, from: peer, as: next)
            // The read models are checked next.
            guard try Self.look(&store, next) else { throw SyncError(.damaged) }
        }
    }

    private static func look(_ store: inout Store, _ next: Identifier) throws -> Bool {
        var verification = Verification()
        while !verification.isDone { try store.verify(&verification, next: next) }
        return verification.isSound
    }
}
