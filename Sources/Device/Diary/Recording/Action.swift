import MacrologEvents
import MacrologLog
import MacrologReadModels

/// What is recorded together, and undone together.
///
/// Events of one action share a group, which takes 18 bytes of each. An action of one event needs none,
/// so its first event is recorded without, and recorded again when a second one follows:
///
///     a1 meal.added              one event: no group
///     a1 meal.added  g           the same action after its second draft
///     a2 weight.logged  g
struct Action {
    /// Identifies the events, if there are several.
    let group: Identifier
    /// Whether nothing was recorded yet.
    fileprivate var isEmpty = true
    /// The only event so far, with its time and the log before it.
    fileprivate var first: (draft: Draft, reading: ClockSample, before: EventLog)?

    init(group: Identifier) { self.group = group }
}

extension Diary {
    /// Records the first event of an action, without a group.
    ///
    /// - Returns: `false` where there is no action, or this is not its first event.
    mutating func recordFirst(
        _ draft: Draft, at reading: ClockSample
    ) throws(DiaryError) -> Bool {
        guard action?.isEmpty == true else { return false }
        let draft = draft.grouped(nil)
        let before = try withStore { store throws(LogError) in
            try store.recordReplaceably(draft, at: reading)
        }
        action?.isEmpty = false
        action?.first = (draft, reading, before)
        return true
    }

    /// Records the only event of the action again, as one of its group. To be called before anything
    /// else is written.
    mutating func groupFirst() throws(DiaryError) {
        guard let action, let first = action.first else { return }
        self.action?.first = nil
        try withStore { store throws(LogError) in
            try store.recordAgain(
                first.draft.grouped(action.group), at: first.reading, after: first.before)
        }
    }

    /// The group of events that are about to be recorded: that of the action, else a new one where
    /// there are several.
    mutating func group(of count: Int) throws(DiaryError) -> Identifier? {
        try groupFirst()
        action?.isEmpty = false
        return action?.group ?? (count > 1 ? newID() : nil)
    }
}
