public import MacrologDiary
package import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

extension Replica {
    /// Reads one state of the log: whatever other threads record and syncing brings meanwhile, all
    /// that the block reads belongs together.
    ///
    ///     let (day, foods) = try replica.read { diary in
    ///         (try diary.dayReport(of: today), try diary.recentFoods(in: "lunch"))
    ///     }
    ///
    /// The diary cannot leave the block, and inside of it nothing can be recorded. Other threads wait
    /// until the block returns.
    ///
    /// - Parameters:
    ///   - instant: The moment that counts as now, in milliseconds since 1970 UTC; the device's clock
    ///     decides when not given.
    ///   - body: Reads; what it returns, `read` returns.
    /// - Throws: What the block throws; ``ReplicaError`` with code `nested` if the block uses the
    ///   replica instead of the diary.
    public func read<T: Sendable>(
        at instant: Int64? = nil, _ body: (borrowing Diary) throws -> T
    ) throws -> T {
        try withDiary(clock.fixed(at: instant)) { diary in try diary.reading(body).get() }
    }

    /// Records in one durable transaction: all that the block records, or nothing if it throws. It is
    /// one action, so that one ``Diary/undo(passing:)`` reverses it, and observers hear of it once.
    ///
    ///     try replica.write { diary in
    ///         try diary.add(meal, items: items)
    ///         try diary.add(WeighIn(id: diary.newID(), on: try diary.localDate(), grams: 80_200))
    ///     }
    ///
    /// The block also reads what it has recorded. An undo or a redo inside of it is an action of its
    /// own, and so is what the block records after it. Two replicas that are written inside each other
    /// need one order for all threads, or the threads wait for each other for ever.
    ///
    /// - Throws: What the block throws, after nothing was recorded; ``ReplicaError`` with code
    ///   `readOnly` or `readOnlySnapshot` where it records and cannot, and with code `nested` if the
    ///   block uses the replica instead of the diary, as an import from a file does.
    @discardableResult
    public func write<T: Sendable>(_ body: (inout Diary) throws -> T) throws -> T {
        try withDiary { diary in try diary.action(body).get() }
    }

    /// Reads now, and again after every commit of this process that may have changed the answer: another
    /// device's events that arrive by syncing included. A commit that wrote to no table that the block has
    /// read does not call it: a weight, for a block that reads meals; a meal of any day does. Equal answers
    /// come once, and an observer that is slower than the changes gets the newest answer only.
    ///
    /// What another process has recorded while the file was released calls it at the next use of this
    /// replica. A change of something else that the block uses, such as the clock, does not call it: start
    /// another observation when the day changes. While another process has the file, it waits.
    ///
    ///     for try await day in replica.observe({ try $0.summary(of: today) }) { show(day) }
    ///
    /// - Parameter read: As the block of ``read(at:_:)``. If it throws, so does the stream, and ends.
    public func observe<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (borrowing Diary) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        observeReplica { replica, observer in
            try replica.withDiary(for: observer) { diary in try diary.reading(read).get() }
        }
    }

    /// The log as of an earlier time: a replica in memory with the events up to a moment and no
    /// others, which is read like any other. Recording into it is refused with code
    /// `readOnlySnapshot`.
    ///
    /// It folds the events again, so it takes time and memory in proportion to the log.
    ///
    /// - Throws: ``HistoryError`` with code `noSuchEvent`, or `compacted` where the log no longer
    ///   holds what is requested.
    public func snapshot(asOf: AsOf) throws -> Replica {
        try withDiary { Replica(copy: try $0.snapshot(asOf: asOf).closed(), of: self) }
    }

    /// Lends the log as a diary, and notifies observers when something was recorded meanwhile.
    package func withDiary<T: Sendable>(
        _ clock: DeviceClock? = nil, for observer: Observer? = nil,
        _ body: (inout Diary) throws -> T
    ) throws -> T {
        let clock = clock ?? self.clock
        return try withStore(for: observer) { store in
            var diary = Diary(consume store, clock: clock, newID: newID)
            let result = Result { try body(&diary) }
            store = diary.closed()
            do { return try result.get() } catch let error as DiaryError {
                switch error.cause {
                case .log(let error): throw error
                case .refused(let error): throw error
                case .portion(let error): throw error
                case .history(let error): throw error
                }
            }
        }
    }
}

extension DeviceClock {
    /// A clock that stands still at an instant; `nil` for none.
    fileprivate func fixed(at instant: Int64?) -> DeviceClock? {
        guard let instant else { return nil }
        let read = read
        return DeviceClock(
            read: {
                let now = read()
                return ClockSample(wall: instant, monotonic: now.monotonic, boot: now.boot)
            }, offsetMinutes: offsetMinutes, zoneName: zoneName)
    }
}
