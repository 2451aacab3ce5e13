/// What there is to tell of a log since it was last looked at: reminders that came due, and milestones.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition
import MacrologService

/// What a message is about.
enum WebhookEvent: String, CaseIterable {
    case reminderDue = "reminder.due"
    case milestoneReached = "milestone.reached"
    case test

    /// What an address can be told of.
    static let subscribable: [WebhookEvent] = [.reminderDue, .milestoneReached]
}

/// One thing to tell.
struct WebhookNotice: Sendable {
    let event: WebhookEvent
    /// The same for the same thing, whenever it is found.
    let name: String
    let data: JSON

    /// The message to an address. Its id follows from what it tells, so that it is sent once.
    func message(to webhook: Identifier, now: Int64) -> WebhookMessage {
        let body: JSON = [
            "type": .string(event.rawValue), "timestamp": .instant(now),
            "webhook_id": .id(webhook), "data": data,
        ]
        return WebhookMessage(
            id: .v5(namespace: webhook, name: name), webhook: webhook,
            body: Array(body.compact.utf8))
    }
}

/// What was known of a log when it was last looked at.
struct WebhookKnowledge {
    /// Up to which minute of local time reminders were checked; `nil` before the first look.
    private var checked: Int64?
    private var streak: Int
    /// The trend of the weight, in grams.
    private var weight: Int64?
    /// The weight whose reaching was sent last, in grams.
    private var told: Int64?

    /// What is known now, and what there is to tell since an earlier look: nothing before the first.
    ///
    /// - Parameter now: Milliseconds since 1970 UTC.
    static func look(
        _ diary: borrowing Diary, after earlier: WebhookLook?, now: Int64
    ) throws -> (notices: [WebhookNotice], look: WebhookLook) {
        var known = WebhookKnowledge(earlier?.state)
        var notices = try known.reminders(diary, now)
        notices += try known.streaks(diary)
        notices += try known.weights(diary)
        let next = try diary.nextReminderInstant(after: now) ?? .max
        // Everything else grows with the log, of which the server hears.
        let at = max(now + 1_000, min(next, now + 6 * 3_600_000))
        return (earlier == nil ? [] : notices, WebhookLook(at: at, state: known.json.compact))
    }

    private init(_ state: String?) {
        let json = state.flatMap { try? JSON.parse(Array($0.utf8)) } ?? .null
        checked = json["checked"]?.integer
        streak = json["streak"]?.integer.map { Int($0) } ?? 0
        weight = json["weight_g"]?.integer
        told = json["told_g"]?.integer
    }

    private var json: JSON {
        [
            "checked": .optional(checked), "streak": .integer(Int64(streak)),
            "weight_g": .optional(weight), "told_g": .optional(told),
        ]
    }

    private mutating func reminders(
        _ diary: borrowing Diary, _ now: Int64
    ) throws -> [WebhookNotice] {
        let found = try diary.dueReminders(
            at: now, after: checked.map { DueReminders.Moment(minutes: $0) })
        checked = found.checkedUntil.minutes
        let slots = try diary.preferences().mealSlots ?? MealSlot.standard
        return found.due.map { due in
            WebhookNotice(
                event: .reminderDue, name: "reminder \(due.id) \(due.moment.minutes)",
                data: due.json(slots: slots))
        }
    }

    private mutating func streaks(_ diary: borrowing Diary) throws -> [WebhookNotice] {
        let current = try diary.streak().current
        defer { streak = current }
        guard try diary.preferences().showsStreaks ?? true,
            let days = Milestone.streak(after: streak, upTo: current)
        else { return [] }
        return [
            WebhookNotice(
                event: .milestoneReached, name: "streak \(days) \(try diary.today())",
                data: ["kind": "streak", "days": .integer(Int64(days))])
        ]
    }

    private mutating func weights(_ diary: borrowing Diary) throws -> [WebhookNotice] {
        let current = try diary.weightTrend(through: try diary.today()).points.last.map {
            $0.trendNanograms / 1_000_000_000
        }
        let target = try diary.profile().targetWeightGrams
        defer { weight = current }
        guard let target, let current, let weight, told != target,
            Milestone.weight(after: weight, upTo: current, target: target)
        else { return [] }
        told = target
        return [
            WebhookNotice(
                event: .milestoneReached, name: "target_weight \(target)",
                data: ["kind": "target_weight", "target_kg": .decimal(target, scale: 3)])
        ]
    }
}
