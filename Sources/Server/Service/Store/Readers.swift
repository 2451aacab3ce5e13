/// The pool of read connections. None of them checkpoints, and none waits for the writer.
import MacrologSQLite
import Synchronization

final class Readers: Sendable {
    private final class Reader: Sendable {
        let connection: Mutex<Connection>
        init(_ connection: consuming sending Connection) { self.connection = Mutex(connection) }
    }

    private let readers: [Reader]
    private let turn = Atomic<Int>(0)

    init(_ path: String, count: Int) throws(SQLiteError) {
        var readers: [Reader] = []
        for _ in 0..<count {
            readers.append(Reader(try Connection.open(path, mode: .readOnly)))
        }
        self.readers = readers
    }

    /// Lends an idle connection, or waits for one.
    func read<T: Sendable>(
        _ body: @Sendable (inout Connection) throws(SQLiteError) -> T
    ) throws(StoreError) -> T {
        let first = turn.wrappingAdd(1, ordering: .relaxed).newValue
        for offset in readers.indices {
            let reader = readers[((first &+ offset) & Int.max) % readers.count]
            let result = reader.connection.withLockIfAvailable { Self.result(&$0, body) }
            if let result { return try result.get() }
        }
        let reader = readers[(first & Int.max) % readers.count]
        return try reader.connection.withLock { Self.result(&$0, body) }.get()
    }

    private static func result<T: Sendable>(
        _ connection: inout Connection, _ body: (inout Connection) throws(SQLiteError) -> T
    ) -> Result<T, StoreError> {
        do throws(SQLiteError) {
            return .success(try body(&connection))
        } catch {
            return .failure(error.isBusy ? .busy : .failed("\(error)"))
        }
    }
}
