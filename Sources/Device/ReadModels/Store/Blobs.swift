import MacrologEvents
package import MacrologLog
import MacrologSQLite
import MacrologWire

/// What is asked of the table whose rows say which entities name which blobs.
struct BlobStatements: Sendable {
    fileprivate let toOffer: JoinedSQL
    fileprivate let all: JoinedSQL
    fileprivate let isAnyUnnamed: JoinedSQL
    fileprivate let forgetUnnamed: JoinedSQL

    /// - Parameter table: Its column `name` is the SHA-256 of a blob's bytes.
    init(_ table: StaticString) {
        let names: [StaticString] = ["SELECT DISTINCT blob.name FROM ", table, " AS blob "]
        toOffer = JoinedSQL(
            names + [
                """
                LEFT JOIN server_blob AS known ON known.name = blob.name
                WHERE known.name IS NULL OR known.epoch <> ? OR abs(? - known.at) >= ?
                ORDER BY blob.name
                """
            ])
        all = JoinedSQL(names + ["ORDER BY blob.name"])
        let unnamed: [StaticString] = [
            "FROM server_blob WHERE NOT EXISTS (SELECT 1 FROM ", table,
            " AS blob WHERE blob.name = server_blob.name)",
        ]
        isAnyUnnamed = JoinedSQL(["SELECT 1 "] + unnamed + [" LIMIT 1"])
        forgetUnnamed = JoinedSQL(["DELETE "] + unnamed)
    }
}

/// Which blobs the log names, and which of them the server has confirmed.
extension Store {
    /// The blobs that entities name and that the server has not confirmed, in the order of their
    /// names.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970 UTC.
    ///   - believed: How long, in milliseconds, a confirmation is believed.
    package mutating func blobsToOffer(now: Int64, believed: Int64) throws(LogError) -> [[UInt8]] {
        guard let blobs = models.blobs else { return [] }
        var names: [[UInt8]] = []
        try db.forEach(blobs.toOffer, BlobAge(epoch: log.epoch, now: now, believed: believed)) {
            names.append($0.bytes(0))
        }
        return names
    }

    /// The blobs that entities name, in the order of their names.
    package mutating func blobNames() throws(LogError) -> [[UInt8]] {
        guard let blobs = models.blobs else { return [] }
        var names: [[UInt8]] = []
        try db.forEach(blobs.all) { names.append($0.bytes(0)) }
        return names
    }

    /// Whether an event that is held whole names a blob other than to take it out of a set: then an entity has
    /// it, or could have it again.
    package mutating func isBlobNamed(_ name: [UInt8]) throws(LogError) -> Bool {
        var isNamed = false
        try db.forEach("SELECT body FROM event WHERE instr(body, ?) > 0", name) { row in
            switch try? StoredEvent.decoded(row.bytes(0)) {
            case .whole(let event)?:
                for change in event.changes {
                    for operation in change.operations where operation.names(name) {
                        if case .remove = operation { continue }
                        isNamed = true
                    }
                }
            case .skeleton?: break
            case nil: isNamed = true
            }
        }
        return isNamed
    }

    /// Stores that the server of a log has confirmed a blob.
    package mutating func noteBlob(
        _ name: [UInt8], epoch: UInt32, at now: Int64
    ) throws(LogError) {
        try db.run(
            "INSERT OR REPLACE INTO server_blob (name, epoch, at) VALUES (?, ?, ?)", name, epoch,
            now)
    }

    /// Deletes the server's confirmation of a blob that is about to be named again.
    package mutating func forgetBlob(_ name: [UInt8]) throws(LogError) {
        try db.run("DELETE FROM server_blob WHERE name = ?", name)
    }

    /// Deletes a server's confirmations: from now on another server is used.
    package mutating func forgetServerBlobs() throws(LogError) {
        try db.run("DELETE FROM server_blob")
    }

    /// Deletes the confirmations of blobs that no entity names any more: if one is named again, the
    /// server may have deleted it meanwhile.
    package mutating func forgetUnnamedBlobs() throws(LogError) {
        guard let blobs = models.blobs else { return }
        var isAny = false
        try db.forEach(blobs.isAnyUnnamed) { _ in isAny = true }
        if isAny { try db.run(blobs.forgetUnnamed) }
    }
}

/// The values of ``BlobStatements/toOffer``, bound one after the other.
private struct BlobAge: Bindable {
    let epoch: UInt32
    let now: Int64
    let believed: Int64

    func bind(to binder: inout Binder) {
        epoch.bind(to: &binder)
        now.bind(to: &binder)
        believed.bind(to: &binder)
    }
}
