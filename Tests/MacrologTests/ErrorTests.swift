import Macrolog
import MacrologImages
import MacrologEngine
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologLog
import MacrologNutrition
import MacrologSQLite
import MacrologSystem
import Testing

/// Goal: an app can show every error of the library: what was attempted, why it failed, what to do.
/// Method: each case of each error that an app meets, and what a screen would show of it.
@Suite struct ErrorTests {
    static let replica: [ReplicaError] = [
        ReplicaError(LogError(.readOnlySnapshot)), .readOnly, .nested,
    ]

    static let entry: [EntryError.Code] = [
        .invalid(findings), .notFound(.meal), .deleted(.food), .recursiveRecipe, .fastInProgress,
        .noFastInProgress, .noSuchTime,
    ]

    static let history: [HistoryError.Code] = [
        .nothingToUndo, .nothingToRedo, .noSuchEvent, .alreadyUndone, .alreadyRedone,
        .supersededByLaterEdits, .conflictChanged, .noSuchValue, .compacted,
    ]

    static var findings: [Finding] {
        Kind.weighIn.hardFindings(["weight_g": .int(900_000)])
    }

    static let log: [LogError.Code] = [
        .tooLarge, .malformedDraft,
        .deleted(EntityKey(Kind.meal.name, Identifier(high: 0, low: 1))),
        .gap(expected: 3), .malformedEvent(CBORError(.limit, at: 1)),
        .divergent(n: 7), .rolledBack(seq: 2), .contradiction, .damaged(CBORError(.shape, at: 0)),
        .altered(seq: 4), .history(HistoryError(.compacted)), .readOnly, .readOnlySnapshot,
        .notReserved(reason: "the disk is full"),
    ]

    static let sync: [SyncError.Code] = [
        .transport(TransportError(code: .timedOut, operation: "POST https://example.org")),
        .transport(
            TransportError(code: .tls(detail: "expired"), operation: "POST https://example.org")),
        .refused(status: 401, problem: Problem.unauthorized, detail: "The token has expired."),
        .refused(status: 409, problem: Problem.dotReuse, detail: "The number is taken."),
        .refused(status: 507, problem: Problem.eventQuota, detail: "The quota is used up."),
        .refused(status: 429, problem: "", detail: "Too many requests."),
        .unsupportedVersion(supported: 1...1, detail: "Renew the software."),
        .notTheServer(status: 200),
        .notTheServer(status: 413), .notTheServer(status: 502), .malformed(detail: "no digest"),
        .divergent(n: 7), .damaged,
        .rolledBack(seq: 2), .storage(detail: "the disk is full"),
    ]

    static let account: [AccountError] =
        [.loggedOut, .otherAccount, .unsynced(3), AccountError(OriginError(.scheme)), .stopped]
        + sync.map { AccountError(SyncError($0)) }

    static let photo: [PhotoError] = [
        PhotoError(.unknown), PhotoError(.damaged("it ends early")), .tooLarge(20_000_000),
        .notThere,
        .tooMany(8), .notArrived, .damagedHere, .storage("the folder cannot be read"),
    ]

    static let numbers: [NumberError] = [
        .ambiguous(decimal: "1.2340", grouped: "1234"), .malformed, .misgrouped, .tooLarge,
        .notFinite, .negative, .dividedByZero, .overfull(unit: "in", limit: 12),
        .unconvertible("kcal", to: "g"), .missingUnit(example: "150 g"), .unexpectedUnit("kg"),
    ]

    static let others: [any ExplainedError] = [
        InsufficientData.weight, InsufficientData.height, InsufficientData.bodyFat,
        InsufficientData.adulthood, InsufficientData.energy, InsufficientData.shares,
    ]

    static var all: [any ExplainedError] {
        replica + entry.map { EntryError($0) }
            + history.map { HistoryError($0) }
            + log.map { LogError($0) } + sync.map { SyncError($0) }
            + account + photo + numbers + others
    }

    @Test func `every error says what was attempted and why it failed, in parts of sentences`() {
        for error in Self.all {
            #expect(!error.operation.isEmpty && !error.explanation.isEmpty, "\(error)")
            #expect(error.hint != "", "\(error)")
            let whole = error.hint.map { "\(error.explanation): \($0)" } ?? error.explanation
            #expect(error.description == whole)
        }
    }

    @Test func `where a person can do something, a hint says what`() {
        for error in Self.replica { #expect(error.hint != nil, "\(error)") }
        for code in Self.entry where code != .noFastInProgress {
            #expect(EntryError(code).hint != nil, "\(code)")
        }
        let without: Set<HistoryError.Code> = [.nothingToUndo, .nothingToRedo]
        for code in Self.history where !without.contains(code) {
            #expect(HistoryError(code).hint != nil, "\(code)")
        }
        for error in Self.photo { #expect(error.hint != nil, "\(error)") }
        for error in Self.numbers { #expect(error.hint != nil, "\(error)") }
        for error in Self.others { #expect(error.hint != nil, "\(error)") }
        for error in [AccountError.loggedOut, .otherAccount, .unsynced(1)] {
            #expect(error.hint != nil, "\(error)")
        }
        #expect(AccountError(OriginError(.scheme)).hint == "write it as https://sync.example.org")
        #expect(LogError(.damaged(CBORError(.shape, at: 0))).hint != nil)
    }

    @Test func `what is wrong with an entry names no word of events`() {
        let error = EntryError(.invalid(Self.findings))
        #expect(error.explanation == "weigh-in weight is above 650 kg")
        #expect(Self.findings.map(\.description) == [error.description])
        for kind in Kind.all {
            for field in kind.fields {
                let finding = Finding(
                    .hard, kind: kind.name, field: field.name, problem: "is odd",
                    hint: "type another")
                #expect(!finding.description.contains("_"), "\(finding)")
            }
        }
    }

    @Test func `being offline is a sentence for a person, and names no request`() {
        let codes: [TransportError.Code] = [
            .unreachable(detail: "Couldn't connect to server"), .timedOut, .tls(detail: "expired"),
            .tooLarge, .cancelled, .malformed(detail: "no status"),
        ]
        for code in codes {
            let cause = TransportError(code: code, operation: "POST https://example.org/v1/sync")
            let error = AccountError(SyncError(.transport(cause)))
            #expect(!error.description.contains("POST"), "\(error)")
            #expect(error.explanation.hasPrefix("the"), "\(error)")
        }
        let offline = SyncError(
            .transport(
                TransportError(code: .unreachable(detail: "no route to host"), operation: "GET /")))
        #expect(offline.explanation == "the server cannot be reached: no route to host")
    }

    @Test func `only what passes by itself is to be tried again`() {
        #expect(AccountError(SyncError(Self.sync[0])).isRetryable)
        #expect(AccountError(SyncError(Self.sync[5])).isRetryable)
        #expect(PhotoError.notArrived.isRetryable)
        #expect(!AccountError.loggedOut.isRetryable)
        #expect(!AccountError(SyncError(Self.sync[1])).isRetryable)
        for error in Self.replica { #expect(!error.isRetryable) }
        for reason in Self.entry { #expect(!EntryError(reason).isRetryable) }
    }

    @Test func `wrong data of a person is not an error of the protocol`() {
        func refused(_ problem: String) -> AccountError {
            AccountError(
                SyncError(.refused(status: 400, problem: problem, detail: "It is too short.")))
        }
        if case .invalid(let cause) = refused(Problem.invalidField) {
            #expect(cause.explanation == "It is too short" && !cause.isRetryable)
        } else {
            Issue.record("a password that is too short is no failed sync")
        }
        if case .sync = refused(Problem.wrongHash) {
        } else {
            Issue.record("a wrong hash is no matter of what was typed")
        }
    }

    @Test func `the offer to log in again comes from a session that has ended`() {
        let ended = AccountError(SyncError(Self.sync[2]))
        #expect(ended.hint == "log in again")
        #expect(ended.operation == "log in")
    }
}
