import MacrologNutrition

/// The local time of an entry as files write it: `18:00`, or `18:00:30` where there are seconds.
enum ClockTime {
    static func text(_ date: LocalDate) -> String? {
        guard let minute = date.minuteOfDay, let instant = date.occurredAt else { return nil }
        let milliseconds = instant % 60_000
        let seconds = (milliseconds < 0 ? milliseconds + 60_000 : milliseconds) / 1_000
        let clock = "\(twoDigits(minute / 60)):\(twoDigits(minute % 60))"
        return seconds == 0 ? clock : clock + ":\(twoDigits(seconds))"
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
