package import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologNutritionModels
package import MacrologReadModels

/// A person's log as a person uses it: recording, undoing, planning, reading back.
///
/// A diary has one owner, waits for nothing and starts no thread, so it runs in a browser, too. An
/// app meets it through ``Replica``, which opens the file and lets threads take turns.
///
///     Replica (threads, files)  ─ lends ─▶  Diary  ─ owns ─▶  Store (log + read models)
package struct Diary: ~Copyable {
    /// The log with its read models.
    package var store: Store
    /// The device's clocks and zone.
    package let clock: DeviceClock
    /// Gives a new time-ordered id.
    package let newID: @Sendable () -> Identifier

    /// Takes a store over.
    package init(
        _ store: consuming Store, clock: DeviceClock, newID: @escaping @Sendable () -> Identifier
    ) {
        self.store = store
        self.clock = clock
        self.newID = newID
    }

    /// Ends the diary, and gives the store back.
    package consuming func closed() -> Store { store }

    /// Calls a body with the store, and throws what it throws as an error of the diary.
    package mutating func withStore<T>(
        _ body: (inout Store) throws(LogError) -> T
    ) throws(DiaryError) -> T {
        do throws(LogError) { return try body(&store) } catch { throw .log(error) }
    }

    /// Milliseconds since 1970 UTC, by this device's clock.
    package var now: Int64 { clock.read().wall }

    /// The day, instant and zone of an entry made at a moment, by the person's start of the day.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    /// - Throws: ``EntryError`` with code `noSuchTime`, as for a clock that is off by centuries.
    package mutating func localDate(at instant: Int64? = nil) throws(DiaryError) -> LocalDate {
        let instant = instant ?? now
        let dayStart = try withStore { store throws(LogError) in
            try store.preferences().dayStartMinutes
        }
        let date = LocalDate(
            instant: instant, zone: clock.zoneName(), offsetMinutes: clock.offsetMinutes(instant),
            dayStartMinutes: dayStart ?? 0)
        guard let date else { throw .refused(.noSuchTime) }
        return date
    }

    /// The current day, by this device's clock and zone and the person's start of the day.
    package mutating func today() throws(DiaryError) -> Day { try localDate().day }

    /// The moment from which a day is viewed, in milliseconds since 1970 UTC: now if the day is
    /// today, otherwise the end of a past day or the beginning of a later one.
    package mutating func moment(of day: Day) throws(DiaryError) -> Int64 {
        let today = try today()
        if day > today { return try start(of: day) ?? now }
        return try day == today ? now : start(of: day.advanced(by: 1)).map { $0 - 1 } ?? now
    }

    /// When a day starts for the person; an hour later if a change of the clocks skips that time.
    private mutating func start(of day: Day) throws(DiaryError) -> Int64? {
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
package enum DiaryError: Error {
    /// The log refused, or could not be read.
    case log(LogError)
    /// The action is not possible.
    case refused(EntryError)
    /// An amount cannot be converted.
    case portion(PortionError)

    /// The action is not possible.
    static func refused(_ code: EntryError.Code) -> DiaryError { .refused(EntryError(code)) }
}
