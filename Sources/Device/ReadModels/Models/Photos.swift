import MacrologEvents
package import MacrologLog
import MacrologNutrition
import MacrologSQLite

/// Which meals name which photos.
enum Photos {
    static let model = ReadModel(
        tables: [table],
        folds: [
            Fold(kind: .meal) { old, new, _, db throws(LogError) in
                try table.replace(old.map(rows) ?? [], with: rows(new), in: &db)
            }
        ])

    /// `name` is the SHA-256 of the photo's bytes.
    static let table = Table("photo", key: [.blob("name"), .blob("meal")], entity: "meal")

    private static func rows(_ meal: Readable) -> [[Value]] {
        guard !meal.isDeleted, meal.fields["photo_sha256s"] != nil else { return [] }
        return (meal.entity(Meal.self)?.photoHashes ?? []).map { [.bytes($0), .id(meal.id)] }
    }
}

/// Which photos the log names, and which of them the server has confirmed.
extension Store {
    /// The photos that meals name and that the server has not confirmed, in the order of their
    /// names.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970 UTC.
    ///   - believed: How long, in milliseconds, a confirmation is believed.
    package mutating func photosToOffer(now: Int64, believed: Int64) throws(LogError) -> [[UInt8]] {
        try db.all(
            """
            SELECT DISTINCT photo.name FROM photo
            LEFT JOIN server_blob AS known ON known.name = photo.name
            WHERE known.name IS NULL OR known.epoch <> ? OR abs(? - known.at) >= ?
            ORDER BY photo.name
            """, log.epoch, now, believed
        ) { $0.bytes(0) }
    }

    /// Whether a meal names a photo.
    package mutating func namesPhoto(_ name: [UInt8]) throws(LogError) -> Bool {
        try db.first("SELECT 1 FROM photo WHERE name = ? LIMIT 1", name) { _ in true } ?? false
    }

    /// How many photos meals name.
    package var photoCount: Int64 {
        mutating get throws(LogError) {
            try db.first("SELECT count(DISTINCT name) FROM photo") { $0.int(0) } ?? 0
        }
    }

    /// The photos that meals name, in the order of their names.
    package mutating func photoNames() throws(LogError) -> [[UInt8]] {
        try db.all("SELECT DISTINCT name FROM photo ORDER BY name") { $0.bytes(0) }
    }

    /// Stores that the server of a log has confirmed a photo.
    package mutating func notePhoto(
        _ name: [UInt8], epoch: UInt32, at now: Int64
    ) throws(LogError) {
        try db.run(
            "INSERT OR REPLACE INTO server_blob (name, epoch, at) VALUES (?, ?, ?)", name, epoch,
            now)
    }

    /// Deletes the server's confirmation of a photo that is about to be named again.
    package mutating func forgetPhoto(_ name: [UInt8]) throws(LogError) {
        try db.run("DELETE FROM server_blob WHERE name = ?", name)
    }

    /// Deletes a server's confirmations: from now on another server is used.
    package mutating func forgetServerBlobs() throws(LogError) {
        try db.run("DELETE FROM server_blob")
    }

    /// Deletes the confirmations of photos that no meal names any more: if one is named again, the
    /// server may have deleted it meanwhile.
    package mutating func forgetUnnamedPhotos() throws(LogError) {
        let isAny = try db.first(
            """
            SELECT 1 FROM server_blob
            WHERE NOT EXISTS (SELECT 1 FROM photo WHERE photo.name = server_blob.name) LIMIT 1
            """
        ) { _ in true }
        guard isAny == true else { return }
        try db.run(
            """
            DELETE FROM server_blob
            WHERE NOT EXISTS (SELECT 1 FROM photo WHERE photo.name = server_blob.name)
            """)
    }
}
