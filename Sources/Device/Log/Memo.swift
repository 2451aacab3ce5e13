package import MacrologSQLite

/// Small facts about this replica that are not part of the log: which server, when last synced.
package enum Memo {
    /// A text, or `nil`.
    package static func text(_ name: String, in db: inout Connection) throws -> String? {
        try db.first("SELECT value FROM memo WHERE name = ?", name) { $0.textOrNull(0) } ?? nil
    }

    /// A whole number, or `nil`.
    package static func int(_ name: String, in db: inout Connection) throws -> Int64? {
        try db.first("SELECT value FROM memo WHERE name = ?", name) { $0.intOrNull(0) } ?? nil
    }

    /// Bytes, or `nil`.
    package static func blob(_ name: String, in db: inout Connection) throws -> [UInt8]? {
        try db.first("SELECT value FROM memo WHERE name = ?", name) { $0.bytesOrNull(0) } ?? nil
    }

    /// Stores a value; `nil` deletes it.
    package static func set(
        _ name: String, _ value: (some Bindable)?, in db: inout Connection
    ) throws {
        try db.run("INSERT OR REPLACE INTO memo (name, value) VALUES (?, ?)", name, value)
    }
}
