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
    /// Where the ends are looked for at first.
    var hint = Hint.none

    /// Where a log and a device of it stood when this node last heard of them. PostgreSQL finds the last row after
    /// a known one in a tenth of the time that it takes to find the last of all, because it compares all rows
    /// of the index's last page that are in question. What is known may be wrong: see ``PostgreSQLConnection/standings(_:hints:)``.
    struct Hint: Sendable {
        var n: LogNumber
        var seq: Seq

        static let none = Hint(n: .zero, seq: .zero)
    }

    /// What decides about a push.
    static func of(_ push: Push, _ cipher: AccountCipher) -> StandingQuestion {
        var prefixes: Set<LogNumber> = []
        for event in push.events { prefixes.insert(event.header.base.n) }
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

    /// Writes what devices were last known to hold, except for sessions that another transaction has locked: each node
    /// writes many in an order of its own, and two that waited for each other would deadlock.
    ///
    /// - Returns: What is on disk after the commit, or has lost its session.
    mutating func writeUnlocked(_ receipts: [Receipt]) throws(PostgreSQLError) -> [Receipt] {
        guard !receipts.isEmpty else { return [] }
        let ids = receipts.map(\.session.bytes)
        let done = Set(
            try all(
                """
                WITH receipt AS (
                    SELECT id, space, seen, nullif(device, '') AS device, nullif(cursor, -1) AS cursor
                    FROM unnest(?, ?, ?, ?, ?) AS given (id, space, seen, device, cursor)),
                held AS (
                    SELECT receipt.* FROM receipt JOIN session USING (id, space)
                    FOR NO KEY UPDATE OF session SKIP LOCKED),
                written AS (
                    UPDATE session SET last_seen = greatest(last_seen, held.seen),
                    device = coalesce(held.device, session.device),
                    cursor = coalesce(held.cursor, session.cursor)
                    FROM held WHERE session.id = held.id)
                SELECT id FROM receipt
                WHERE EXISTS (SELECT 1 FROM held WHERE held.id = receipt.id)
                OR NOT EXISTS (SELECT 1 FROM session
                    WHERE session.id = receipt.id AND session.space = receipt.space)
                """, PostgreSQLByteStrings(ids), PostgreSQLNumbers(receipts.map(\.space)),
                PostgreSQLNumbers(receipts.map(\.seen)),
                PostgreSQLByteStrings(receipts.map { $0.held?.device.bytes ?? [] }),
                PostgreSQLNumbers(receipts.map { $0.held?.cursor.rawValue ?? -1 })
            ) { $0.bytes(0) })
        return receipts.filter { done.contains($0.session.bytes) }
    }

    /// Reads where logs and devices stand, in one round trip.
    ///
    /// A last row at or after a hint is the last of all, whatever the hint was. If there is none, the database went
    /// back to an earlier state, and is asked once more without the hint.
    ///
    /// - Parameters:
    ///   - questions: One for each space at most.
    ///   - hints: What this node heard last.
    ///   - noteAway: Called with what the account's row says at the same moment.
    mutating func standings(
        _ questions: [StandingQuestion], hints: Heads,
        noteAway: (Space, PostgreSQLServerStore.Away) -> Void = { _, _ in }
    ) throws(PostgreSQLError) -> [Space: LogStanding] {
        var found: [Space: LogStanding] = [:]
        let hinted = hints.hinted(questions)
        try readStandings(hinted, &found, noteAway)
        let misled = hinted.filter { question in
            guard let standing = found[question.key.space] else { return false }
            return standing.head.n < question.hint.n || standing.device.seq < question.hint.seq
        }
        if !misled.isEmpty {
            let spaces = Set(misled.map { $0.key.space })
            try readStandings(
                questions.filter { spaces.contains($0.key.space) }, &found, noteAway)
        }
        return found
    }

    /// Reads the standings after the hints.
    private mutating func readStandings(
        _ questions: [StandingQuestion], _ standings: inout [Space: LogStanding],
        _ noteAway: (Space, PostgreSQLServerStore.Away) -> Void
    ) throws(PostgreSQLError) {
        var (spaces, devices, prefixes) = ([Int64](), [[UInt8]](), [Int64]())
        var (places, seqs) = ([Int64](), [Int64]())
        var asked: [Space: StandingQuestion] = [:]
        for question in questions {
            let space = question.key.space
            asked[space] = question
            standings[space] = nil
            for n in question.prefixes.isEmpty ? [.zero] : question.prefixes {
                spaces.append(space)
                devices.append(question.key.device.bytes)
                // What no log can have is not found.
                prefixes.append(Place.of(space, n) ?? 0)
                places.append(Place.of(space, question.hint.n) ?? space << 40)
                seqs.append(question.hint.seq.rawValue)
            }
        }
        try forEach(
            Self.standingsSQL, PostgreSQLNumbers(spaces), PostgreSQLByteStrings(devices),
            PostgreSQLNumbers(prefixes), PostgreSQLNumbers(places), PostgreSQLNumbers(seqs)
        ) { row throws(PostgreSQLError) in
            let space = row.space(0)
            guard let question = asked[space] else { return }
            noteAway(space, row.isNull(14) ? .missing : row.away(13))
            var standing = standings[space] ?? row.standing(question)
            if !row.isNull(10) {
                standing.prefixes[row.number(10)] = (row.time(11), row.digest(12))
            }
            standings[space] = standing
        }
    }

    /// Each row is looked up once: the last one of the log, which is the last one of the device, too, if that has
    /// recorded it, and the end of the prefix if it is that.
    private static let standingsSQL: StaticString = """
        SELECT asked.space, coalesce(account.epoch, server.epoch), last.place, last.t_max,
        last.digest, coalesce(account.event_bytes, 0),
        CASE WHEN last.device = asked.device THEN last.seq ELSE own.seq END,
        CASE WHEN last.device = asked.device THEN last.t ELSE own.t END,
        CASE WHEN last.device = asked.device THEN last.body ELSE own.body END,
        CASE WHEN last.device = asked.device THEN last.place ELSE own.place END,
        prefix.place, prefix.t_max, prefix.digest, account.away, account.arrival
        FROM unnest(?, ?, ?, ?, ?) AS asked (space, device, prefix, known_place, known_seq)
        CROSS JOIN server
        LEFT JOIN account ON account.space = asked.space
        LEFT JOIN LATERAL (
            SELECT place, t, t_max, device, seq, digest, body FROM event
            WHERE place >= asked.known_place AND place < (asked.space + 1) << 40
            ORDER BY place DESC LIMIT 1) AS last ON true
        LEFT JOIN LATERAL (
            SELECT seq, t, body, place FROM event
            WHERE space = asked.space
            AND device = CASE WHEN last.device = asked.device THEN NULL ELSE asked.device END
            AND seq >= asked.known_seq
            ORDER BY seq DESC LIMIT 1) AS own ON true
        LEFT JOIN event AS prefix ON prefix.place =
            CASE WHEN asked.prefix > asked.space << 40 AND asked.prefix <> last.place THEN asked.prefix END
        """

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
            """, PostgreSQLNumbers(events.map { $0.place }),
            PostgreSQLNumbers(events.map { $0.t.rawValue }),
            PostgreSQLNumbers(events.map { $0.greatest.rawValue }),
            PostgreSQLByteStrings(events.map { $0.device }),
            PostgreSQLNumbers(events.map { $0.seq.rawValue }),
            PostgreSQLByteStrings(events.map { $0.hash }),
            PostgreSQLByteStrings(events.map { $0.digest }),
            PostgreSQLByteStrings(events.map { $0.stored }))
        let sums = Dictionary(events.map { ($0.place >> 40, Int64($0.bytes)) }, uniquingKeysWith: +)
            .sorted { $0.key < $1.key }
        try run(
            """
            UPDATE account SET event_bytes = event_bytes + added.bytes
            FROM unnest(?, ?) AS added (space, bytes) WHERE account.space = added.space
            """, PostgreSQLNumbers(sums.map { $0.key }), PostgreSQLNumbers(sums.map { $0.value }))
    }
}

extension Heads {
    /// The same questions, each with where its log and its device stood.
    fileprivate func hinted(_ questions: [StandingQuestion]) -> [StandingQuestion] {
        questions.map { question in
            var question = question
            question.hint.n = space(question.key.space)?.n ?? .zero
            question.hint.seq = device(question.key)?.seq ?? .zero
            return question
        }
    }
}

extension PostgreSQLRow {
    /// Where a log and a device of it stand.
    fileprivate func standing(_ question: StandingQuestion) -> LogStanding {
        let head = spaceHead(1)
        var standing = LogStanding(
            key: question.key, head: head,
            device: isNull(6) ? .none : deviceHead(6, question.cipher),
            eventBytes: int(5, in: 0...(1 << 53)))
        if head.n > 0 { standing.prefixes[head.n] = (head.t, head.digest) }
        return standing
    }
}
