/// Transactions whose body throws errors of any type.
extension SQLiteConnection {
    /// Runs a body as one durable transaction, as the method of the same name whose body throws
    /// only what the connection throws.
    @_disfavoredOverload
    package mutating func transaction<T>(_ body: (inout Self) throws -> T) throws -> T {
        try outcome("BEGIN IMMEDIATE", body).get()
    }

    /// Runs a body of reads on one snapshot of the database, whatever other connections commit
    /// meanwhile. It acquires no write lock.
    ///
    /// - Precondition: No other transaction is running on this connection.
    package mutating func snapshot<T>(_ body: (inout Self) throws -> T) throws -> T {
        try outcome("BEGIN", body).get()
    }
}
