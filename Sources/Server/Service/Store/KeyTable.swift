/// The keys of the accounts' data, apart from a copy of the database: copies are kept for long, and
/// the keys for a short time only, so that an old copy cannot be opened for an account that was deleted.
package import MacrologEvents
import MacrologJSON
import MacrologSQLite
import MacrologCryptography

/// The keys of accounts as they are stored, encrypted with the server's key, by the accounts' names.
package struct KeyTable: Sendable {
    /// How long copies keep it, in milliseconds: seven days.
    package static let kept: Int64 = 7 * 86_400_000

    fileprivate let wrapped: [(account: Identifier, key: [UInt8])]

    fileprivate init(_ wrapped: [(account: Identifier, key: [UInt8])]) {
        self.wrapped = wrapped
    }

    package var isEmpty: Bool { wrapped.isEmpty }

    /// The accounts, each with a digest of its key as it is stored: by these two copies can be compared
    /// once one of them has no keys any more, and nothing can be opened.
    package func digests(_ secrets: Secrets) -> [Identifier: String] {
        Dictionary(
            wrapped.map { ($0.account, hexadecimal(secrets.digest(ofCopy: $0.key))) },
            uniquingKeysWith: { $1 })
    }

    /// One JSON object a line.
    package var bytes: [UInt8] {
        Array(
            wrapped.map { account, key in
                let line: JSON = [
                    "account": .string(account.description),
                    "key": .string(String(decoding: Base64URL.encode(key), as: UTF8.self)),
                ]
                return line.compact + "\n"
            }.joined().utf8)
    }

    /// Reads ``bytes``; `nil` for anything else.
    package init?(_ bytes: [UInt8]) {
        var wrapped: [(account: Identifier, key: [UInt8])] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let entry = try? JSON.parse(Array(line)),
                let account = entry["account"]?.string.flatMap({ Identifier($0) }),
                let key = entry["key"]?.string.flatMap({ Base64URL.decode(Array($0.utf8)) })
            else { return nil }
            wrapped.append((account, key))
        }
        self.init(wrapped)
    }
}

extension ServerFile {
    /// Takes the keys of all accounts out of a copy of the database, and overwrites them there.
    package static func takeKeys(from path: String) throws -> KeyTable {
        var connection = try Connection.open(path)
        guard try connection.hasDataKeys() else { return KeyTable([]) }
        let all = try connection.all(
            "SELECT name, wrapped FROM data_key JOIN account USING (space) ORDER BY space"
        ) { (account: $0.identifier(0), key: $0.bytes(1)) }
        try connection.overwriteDeleted()
        try connection.run("DELETE FROM data_key")
        try connection.checkpoint()
        return KeyTable(all)
    }

    /// Gives the accounts of a copy their keys back.
    package static func putKeys(_ table: KeyTable, into path: String) throws {
        guard !table.isEmpty else { return }
        var connection = try Connection.open(path)
        try connection.migrate(Schema.migrations)
        try connection.transaction { db in
            for (account, key) in table.wrapped {
                try db.run(
                    """
                    INSERT OR REPLACE INTO data_key (space, wrapped)
                    SELECT space, ? FROM account WHERE name = ?
                    """, key, account.bytes)
            }
        }
        try connection.checkpoint()
    }
}
