/// Reads what decides about pushes, and writes events, for many accounts with one statement each.
import MacrologEvents
import MacrologWire
import MacrologPostgreSQL

/// What is asked about a log and a device of it.
struct StandingQuestion: Sendable {
    let key: DeviceKey
    /// Prefixes of the log, by their number of events.
    let prefixes: Set<LogNumber>
    let cipher: AccountCipher

    /// What decides about a push.
    static func of(_ push: Push, _ cipher: AccountCipher) -> StandingQuestion {
        var prefixes = Set(push.events.map(\.header.base.n))
        if let claim = push.claim { prefixes.insert(claim.cursor) }
        return StandingQuestion(
            key: DeviceKey(space: push.space, device: push.device), prefixes: prefixes,
            cipher: cipher)
    }
}

extension PostgreSQLConnection {
    /// Locks accounts, always in the same order, so that no two transactions wait for each other. What is
    /// read by later statements is true until the transaction ends.
    mutating func lock(_ spaces: [Space]) throws(PostgreSQLError) {
        try run(
            "SELECT 1 FROM account WHERE space = ANY (?) ORDER BY space FOR UPDATE",
            PostgreSQLNumbers(spaces))
    }

    /// Locks accounts, and refuses if this store does not serve one of them.
    mutating func lockServed(_ spaces: [Space]) throws(PostgreSQLError) {
        try run("SELECT lock_served(?)", PostgreSQLNumbers(spaces))
    }

    /// Those of some accounts that this store serves, none of which can be closed until the transaction ends. One whose
    /// row another transaction has locked is left out.
    mutating func holdServed(_ spaces: Set<Space>) throws(PostgreSQLError) -> Set<Space> {
        Set(
            try all(
                """
                SELECT space FROM account WHERE space = ANY (?) AND away IS NULL
                FOR KEY SHARE SKIP LOCKED
                """, PostgreSQLNumbers(spaces.sorted())
            ) { $0.space(0) })
    }

    /// Reads where logs and devices stand, in one round trip.
    ///
    /// - Parameters:
    ///   - questions: One for each space at most.
    ///   - noteAway: Called with what the account's row says at the same moment.
    mutating func standings(
        _ questions: [StandingQuestion],
        noteAway: (Space, PostgreSQLServerStore.Away) -> Void = { _, _ in }
    ) throws(PostgreSQLError) -> [Space: LogStanding] {
        var (spaces, devices, prefixes) = ([Int64](), [[UInt8]](), [Int64]())
        var asked: [Space: StandingQuestion] = [:]
        for question in questions {
            let space = question.key.space
            asked[space] = question
            for n in question.prefixes.isEmpty ? [.zero] : question.prefixes {
                spaces.append(space)
                devices.append(question.key.device.bytes)
                // What no log can have is not found.
                prefixes.append(Place.of(space, n) ?? 0)
            }
        }
        var standings: [Space: LogStanding] = [:]
        try forEach(
            """
            SELECT asked.space, coalesce(account.epoch, server.epoch), last.place, last.t_max,
            last.digest, coalesce(account.event_bytes, 0), own.seq, own.t, own.body, own.place,
            prefix.place, prefix.t_max, prefix.digest, account.away, account.arrival
            FROM unnest(?, ?, ?) AS asked (space, device, prefix) CROSS JOIN server
            LEFT JOIN account ON account.space = asked.space
            LEFT JOIN LATERAL (
                SELECT place, t_max, digest FROM event
                WHERE place > asked.space << 40 AND place < (asked.space + 1) << 40
                ORDER BY place DESC LIMIT 1) AS last ON true
            LEFT JOIN LATERAL (
                SELECT seq, t, body, place FROM event
                WHERE space = asked.space AND device = asked.device
                ORDER BY seq DESC LIMIT 1) AS own ON true
            LEFT JOIN event AS prefix ON prefix.place = asked.prefix
            """, PostgreSQLNumbers(spaces), PostgreSQLByteStrings(devices),
            PostgreSQLNumbers(prefixes)
        ) { row throws(PostgreSQLError) in
            let space = row.space(0)
            guard let question = asked[space] else { return }
            noteAway(space, row.isNull(14) ? .missing : row.away(13))
            var standing =
                standings[space]
                ?? LogStanding(
                    key: question.key, head: row.spaceHead(1),
                    device: row.isNull(6) ? .none : row.deviceHead(6, question.cipher),
                    eventBytes: row.int(5, in: 0...(1 << 53)))
            if !row.isNull(10) {
                standing.prefixes[row.number(10)] = (row.time(11), row.digest(12))
            }
            standings[space] = standing
        }
        return standings
    }

    /// Writes the events that wait, of all accounts at once.
    mutating func writeWaiting(_ overlay: inout LogOverlay) throws(PostgreSQLError) {
        let events = overlay.waiting
        guard !events.isEmpty else { return }
        overlay.waiting = []
        try run(
            """
            INSERT INTO event (place, space, t, t_max, device, seq, hash, digest, body)
            SELECT place, place >> 40, t, t_max, device, seq, hash, digest, body
            FROM unnest(?, ?, ?, ?, ?, ?, ?, ?)
            AS added (place, t, t_max, device, seq, hash, digest, body)
            """, PostgreSQLNumbers(events.map(\.place)),
            PostgreSQLNumbers(events.map(\.t.rawValue)),
            PostgreSQLNumbers(events.map(\.greatest.rawValue)),
            PostgreSQLByteStrings(events.map(\.device)),
            PostgreSQLNumbers(events.map(\.seq.rawValue)),
            PostgreSQLByteStrings(events.map(\.hash)),
            PostgreSQLByteStrings(events.map(\.digest)),
            PostgreSQLByteStrings(events.map(\.stored)))
        let sums = Dictionary(events.map { ($0.place >> 40, Int64($0.bytes)) }, uniquingKeysWith: +)
            .sorted { $0.key < $1.key }
        try run(
            """
            UPDATE account SET event_bytes = event_bytes + added.bytes
            FROM unnest(?, ?) AS added (space, bytes) WHERE account.space = added.space
            """, PostgreSQLNumbers(sums.map(\.key)), PostgreSQLNumbers(sums.map(\.value)))
    }
}
