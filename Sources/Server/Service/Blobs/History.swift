/// Tells a database that was restored from a copy from the one that wrote to a shared storage of blobs after
/// the copy was made.
///
/// Each collection leaves a new random mark in both. A database that knows none of the marks in the storage is
/// another history: objects that it has no rows for may belong to the lost one, and are kept.
import MacrologEvents

/// A random name that a storage has, and no other.
package struct HistoryMark: Hashable, Sendable {
    /// No account has this space.
    static let space: Space = 0

    /// As many bytes as the name of a blob.
    package let name: [UInt8]

    package init(name: [UInt8]) { self.name = name }

    /// The object that stands for it.
    var object: BlobObject {
        BlobObject(BlobKey(space: Self.space, name: name), isEncrypted: false)
    }
}

/// What a database knows of its history.
package struct History: Hashable, Sendable {
    /// When it began, in milliseconds since 1970 UTC.
    package var began: Int64
    /// The mark that the storage had at the last collection, and the one that it was then given: it may have either.
    package var marks: [HistoryMark] = []

    package init(began: Int64, marks: [HistoryMark] = []) {
        self.began = began
        self.marks = marks
    }
}
