public import MacrologEvents
package import MacrologLog
public import MacrologNutrition
package import MacrologNutritionModels
package import MacrologReadModels

/// A person's log as a person uses it: recording, undoing, planning, reading back.
///
/// ``Replica/read(at:_:)`` and ``Replica/write(_:)`` lend a diary for the length of a block: everything
/// inside sees one state of the log. Only `write` lends one whose recording verbs can be called.
///
///     Replica (threads, files)  ─ lends ─▶  Diary  ─ owns ─▶  Store (log + read models)
///
/// A diary has one owner, waits for nothing and starts no thread, so it runs in a browser, too.
public struct Diary: ~Copyable {
    private let kept: Kept
    /// The device's clocks and zone.
    package let clock: DeviceClock
    /// Gives a new time-ordered id.
    public let newID: @Sendable () -> Identifier
    /// The action of which everything recorded is part; `nil` outside of ``action(_:)``.
    var action: Action?

    /// What grows with everything that is recorded, received or corrected.
    private struct LogState: Equatable {
        /// The number of events begins again with another ID.
        let device: Identifier
        let seq: Int64
        let cursor: Int64
        let generation: Int
    }

    /// Reading needs the store's statements, but changes nothing that a reader could see.
    private final class Kept {
        /// The log with its read models.
        var store: Store?
        /// The preferences that were read last, and the state of the log then.
        var preferences: (value: Preferences, state: LogState)?

        init(_ store: consuming Store) { self.store = consume store }
    }

    /// Takes a store over.
    package init(
        _ store: consuming Store, clock: DeviceClock, newID: @escaping @Sendable () -> Identifier
    ) {
        kept = Kept(store)
        self.clock = clock
        self.newID = newID
    }

    /// Ends the diary, and gives the store back.
    package consuming func closed() -> Store {
        guard let store = kept.store.take() else { preconditionFailure("closed once") }
        return store
    }

    /// Calls a body with the store, and throws what it throws as an error of the diary.
    package func withStore<T: ~Copyable>(
        _ body: (inout Store) throws(LogError) -> T
    ) throws(DiaryError) -> T {
        // The store is there until `closed()` ends the diary.
        // swift-format-ignore: NeverForceUnwrap
        do throws(LogError) { return try body(&kept.store!) } catch { throw .log(error) }
    }

    /// Runs a body that records: all of it becomes durable together, as one action that one undo
    /// reverses. If the body throws, or the commit fails, nothing is recorded.
    ///
    /// - Returns: What the body returned or threw.
    package mutating func action<T, BodyError>(
        _ body: (inout Diary) throws(BodyError) -> T
    ) throws(DiaryError) -> Result<T, BodyError> {
        let before = try withStore { store throws(LogError) in try store.begin(writes: true) }
        action = Action(group: newID())
        let outcome: Result<T, BodyError>
        do throws(BodyError) { outcome = .success(try body(&self)) } catch {
            outcome = .failure(error)
        }
        action = nil
        var commits = false
        if case .success = outcome { commits = true } else { kept.preferences = nil }
        try withStore { store throws(LogError) in try store.end(before, commits: commits) }
        return outcome
    }

    /// Calls a body that undoes or redoes an action. What is recorded afterwards, by the same block
    /// too, is another action: the one that was undone is closed.
    mutating func undoing<T>(
        _ body: (inout Store, Identifier) throws(LogError) -> T
    ) throws(DiaryError) -> T {
        let own = newID()
        let result = try withStore { store throws(LogError) in try body(&store, own) }
        if action != nil { action = Action(group: newID()) }
        return result
    }

    /// Runs a body that reads one state of the log.
    ///
    /// - Returns: What the body returned or threw.
    package func reading<T, BodyError>(
        _ body: (borrowing Diary) throws(BodyError) -> T
    ) throws(DiaryError) -> Result<T, BodyError> {
        let before = try withStore { store throws(LogError) in try store.begin(writes: false) }
        let outcome: Result<T, BodyError>
        do throws(BodyError) { outcome = .success(try body(self)) } catch {
            outcome = .failure(error)
        }
        try withStore { store throws(LogError) in try store.end(before, commits: false) }
        return outcome
    }

    /// Milliseconds since 1970 UTC, by this device's clock.
    package var now: Int64 { clock.read().wall }

    /// The day, instant and zone of an entry made at a moment, by the person's start of the day.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    /// - Throws: ``EntryError`` with code `noSuchTime`, as for a clock that is off by centuries.
    public func localDate(at instant: Int64? = nil) throws(DiaryError) -> LocalDate {
        let instant = instant ?? now
        let dayStart = try preferences().dayStartMinutes
        let date = LocalDate(
            instant: instant, zone: clock.zoneName(), offsetMinutes: clock.offsetMinutes(instant),
            dayStartMinutes: dayStart ?? 0)
        guard let date else { throw .refused(.noSuchTime) }
        return date
    }

    /// The current day, by this device's clock and zone and the person's start of the day.
    public func today() throws(DiaryError) -> Day { try localDate().day }

    /// How the person wants things shown.
    public func preferences() throws(DiaryError) -> Preferences {
        let state = try withStore { store throws(LogError) in
            LogState(
                device: store.log.device, seq: store.log.lastSeq, cursor: store.log.cursor,
                generation: store.generation)
        }
        if let known = kept.preferences, known.state == state { return known.value }
        let value = try withStore { store throws(LogError) in try store.preferences() }
        kept.preferences = (value, state)
        return value
    }

    /// The moment from which a day is viewed, in milliseconds since 1970 UTC: now if the day is
    /// today, otherwise the end of a past day or the beginning of a later one.
    public func moment(of day: Day) throws(DiaryError) -> Int64 {
        let today = try today()
        if day > today { return try start(of: day) ?? now }
        return try day == today ? now : start(of: day.advanced(by: 1)).map { $0 - 1 } ?? now
    }

    /// When a day starts for the person; an hour later if a change of the clocks skips that time.
    private func start(of day: Day) throws(DiaryError) -> Int64? {
        let dayStart = try preferences().dayStartMinutes ?? 0
        return clock.instant(of: day, minuteOfDay: dayStart)
            ?? clock.instant(of: day, minuteOfDay: dayStart + 60)
    }
}

extension DeviceClock {
    /// The instant at which local clocks show a time of a day; `nil` for a time that a change of the
    /// clocks skips. For a time that comes twice, the first.
    package func instant(of day: Day, minuteOfDay: Int64) -> Int64? {
        WallClock.instants(of: day, minuteOfDay: minuteOfDay, offsetMinutes: offsetMinutes).first
    }
}

/// Why a diary refused an action, or could not be read. Nothing was written.
///
/// Verbs of a diary throw it inside of a block; their documentation names its cause. The block's
/// ``Replica/write(_:)`` or ``Replica/read(at:_:)`` throws the cause itself.
public struct DiaryError: ExplainedError, Hashable {
    /// What a diary's error is about.
    package enum Cause: Hashable, Sendable {
        /// The action is not possible.
        case refused(EntryError)
        /// An amount cannot be converted.
        case portion(PortionError)
        /// An action cannot be undone, redone or resolved, or its history not be read.
        case history(HistoryError)
        /// The log could not be read or written.
        case log(ReplicaError)
    }

    /// What it is about.
    package let cause: Cause

    /// What its cause says.
    public var text: ErrorText {
        switch cause {
        case .refused(let error): error.text
        case .portion(let error): error.text
        case .history(let error): error.text
        case .log(let error): error.text
        }
    }

    /// Why the action is not possible; `nil` for another cause.
    package var refusal: EntryError? {
        if case .refused(let error) = cause { error } else { nil }
    }

    static func log(_ error: LogError) -> DiaryError {
        if case .history(let error) = error.code { return DiaryError(cause: .history(error)) }
        if case .deleted(let entity) = error.code, let kind = Kind.named(entity.kind) {
            return .refused(.deleted(kind))
        }
        return DiaryError(cause: .log(ReplicaError(error)))
    }
    static func refused(_ error: EntryError) -> DiaryError { DiaryError(cause: .refused(error)) }
    static func portion(_ error: PortionError) -> DiaryError { DiaryError(cause: .portion(error)) }

    /// The action is not possible.
    static func refused(_ code: EntryError.Code) -> DiaryError { .refused(EntryError(code)) }
}
