/// Which tables a file has beside those that its migrations make, and dropping them.
extension Migration {
    /// The names of the tables of a file with some migrations, in lower case: those that these
    /// create, and the one that records them.
    package static func tableNames(of migrations: [Migration]) -> [[UInt8]] {
        migrations.flatMap { $0.createdTables } + [Array("migration".utf8)]
    }

    private var createdTables: [[UInt8]] {
        let text = UnsafeBufferPointer(start: sql.utf8Start, count: sql.utf8CodeUnitCount)
        let words = text.split { $0 == 32 || $0 == 10 || $0 == UInt8(ascii: "(") }
        return words.indices.dropFirst(2).filter { index in
            words[index - 2].elementsEqual("CREATE".utf8)
                && words[index - 1].elementsEqual("TABLE".utf8)
        }.map { lowercased(Array(words[$0])) }
    }
}

/// ASCII letters in lower case, as SQLite compares names of tables.
package func lowercased(_ name: [UInt8]) -> [UInt8] {
    name.map { (65...90).contains($0) ? $0 + 32 : $0 }
}

extension SQLiteConnection {
    /// Drops every table but some, with its indexes and triggers. Call inside a transaction.
    ///
    /// - Parameter kept: Names in lower case.
    package mutating func dropTables(except kept: [[UInt8]]) throws(Failure) {
        let names = try all(
            """
            SELECT name FROM pragma_table_list WHERE schema = 'main'
            AND type IN ('table', 'virtual') AND name NOT GLOB 'sqlite_*'
            """
        ) { Array($0.text(0).utf8) }
        for name in names where !kept.contains(lowercased(name)) { try drop(name) }
    }

    private mutating func drop(_ name: [UInt8]) throws(Failure) {
        let quote = UInt8(ascii: "\"")
        let quoted = name.flatMap { $0 == quote ? [quote, quote] : [$0] }
        let sql = Array("DROP TABLE \"".utf8) + quoted + [quote, 0]
        let result = sql.withUnsafeBytes { bytes in
            Result { () throws(Failure) in
                guard let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress else {
                    return
                }
                try execute(start, byteCount: bytes.count - 1)
            }
        }
        try result.get()
    }
}
