public import MacrologEvents
import MacrologWire
public import Macrolog
public import MacrologNutrition

/// Brings what Apple's Health app exports into a replica: steps and active energy of each day, sleep, resting heart
/// rate and its variability as check-ins, weights, body fat and workouts.
///
/// The file is read piece by piece and never held whole; nothing is written before its end was read. Importing it, or
/// a later export, again doubles nothing: of a day's steps and energy the file has the last word, while weights,
/// body fat, workouts and what is there of a check-in stay as they are, and what was deleted here stays deleted.
public struct HealthImport: Sendable {
    private let file: HealthFile
    /// Tells the export from others.
    private let hash: [UInt8]

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - pieces: The bytes of `export.xml`, piece by piece; `nil` at its end.
    ///   - preferences: The person's, who may begin the day after midnight.
    ///   - progress: Called with the number of bytes read.
    /// - Throws: ``ImportError`` with the line at fault, and what to do.
    public init(
        _ pieces: FoodImport.Pieces, preferences: Preferences, progress: (Int) -> Void = { _ in }
    ) throws {
        var file = HealthFile(dayStartMinutes: preferences.dayStartMinutes ?? 0)
        var bytes = 0
        while let piece = try pieces() {
            if bytes == 0, piece.starts(with: "PK".utf8) {
                throw ImportError(
                    "it is a zip file", hint: "take export.xml out of it, and import that")
            }
            try file.take(piece)
            bytes += piece.count
            progress(bytes)
        }
        try file.finish()
        self.file = file
        hash = SHA256.hash(Array("\(file.exportDate)\n\(file.lineCount)\n\(bytes)".utf8))
    }

    /// What an import would do. Nothing is written.
    public func plan(in replica: Replica) throws -> [ImportPart] {
        var group = ImportGroup.none(replica)
        return try go(replica, &group).parts
    }

    /// Imports, as one action that one undo reverses, also after an interruption.
    public func run(in replica: Replica) throws -> (parts: [ImportPart], group: Identifier?) {
        var group = try ImportGroup(replica, importing: "apple-health", hash: hash)
        return try go(replica, &group)
    }

    private func go(
        _ replica: Replica, _ group: inout ImportGroup
    ) throws -> (parts: [ImportPart], group: Identifier?) {
        let judge = OwnJudge(replica: replica, today: try replica.today())
        var verdicts = file.refused.map {
            (
                place: $0.part.rawValue,
                verdict: OwnVerdict(rows: [.rejected($0.finding.line, [$0.finding])])
            )
        }
        func add(_ part: HealthFile.Part, _ verdict: OwnVerdict?) {
            if let verdict { verdicts.append((part.rawValue, verdict)) }
        }
        for (day, sums) in file.days.sorted(by: { $0.key < $1.key }) {
            add(.days, try energyDay(day, sums, judge))
            add(.checkIns, try checkIn(day, sums, judge))
        }
        var bodyFats = file.bodyFats
        for weight in file.weights {
            let instant = weight.date.occurredAt ?? 0
            let share = try bodyFats[instant].flatMap { try belongs($0, judge) ? $0 : nil }
            let verdict = try weighIn(weight, share?.basisPoints, judge)
            add(.weights, verdict)
            guard let share, let outcome = verdict.rows.first?.outcome else { continue }
            switch outcome {
            case .new, .same, .changed: bodyFats[instant] = nil
            case .deleted where try hadBodyFat(weight, judge):
                bodyFats[instant] = nil
                add(.bodyFats, OwnVerdict(rows: [.deleted(share.line)]))
            case .deleted, .rejected: break
            }
        }
        for fat in bodyFats.values.sorted(by: { $0.line < $1.line }) {
            add(.bodyFats, try verdict(entry(fat), fat.line, judge) { $0 ?? entry(fat) })
        }
        for workout in file.workouts { add(.workouts, try activity(workout, judge)) }
        var parts = Self.nouns.map { ImportPart(noun: $0, summary: ImportSummary(kind: $1)) }
        let isRecorded = try ImportPart.record(verdicts, in: &parts, &group, today: judge.today)
        if !parts.isEmpty { parts[0].summary.notices = notices + group.notices }
        return (parts, isRecorded ? group.id : nil)
    }

    /// In the order of ``HealthFile/Part``.
    private static let nouns: [(String, Kind)] = [
        ("days", .energyDay), ("check-ins", .checkIn), ("weigh-ins", .weighIn),
        ("body fat", .bodyFat), ("workouts", .activity),
    ]

    private static let source: UTF8Text = "apple-health"

    private var notices: [String] {
        var notices: [String] = []
        let several = file.days.values.count { $0.hasSeveralSources }
        if several > 0 {
            notices.append(
                "\(several == 1 ? "1 day was" : "\(several) days were") counted by several sources: "
                    + "each day has the numbers of the source that counted most, not their sum")
        }
        if file.repeatedCount > 0 {
            notices.append(
                "weights, body fat and workouts that the file has more than once are taken once: "
                    + "\(file.repeatedCount) left out")
        }
        return notices
    }

    // MARK: What the file says

    private func energyDay(
        _ day: Day, _ sums: HealthFile.DaySums, _ judge: OwnJudge
    ) throws -> OwnVerdict? {
        let (steps, energy) = (sums.steps.values.max(), sums.energy.values.max())
        guard steps != nil || energy != nil else { return nil }
        let new = EnergyDay(on: day, source: Self.source)
        return try verdict(new, sums.line, judge) { old in
            var entry = old ?? new
            if let steps { entry.steps = Rounding.scaled(steps, by: 1, over: 1_000) }
            if let energy { entry.activeMillikilocalories = energy }
            return entry
        }
    }

    /// A person may have noted the same: what is there stays. A day that is not over may get more, so it waits for a
    /// later export.
    private func checkIn(
        _ day: Day, _ sums: HealthFile.DaySums, _ judge: OwnJudge
    ) throws -> OwnVerdict? {
        let sleep = sums.sleepMinutes
        let beats = sums.heart.whole(over: 1_000)
        let variability = sums.variability.whole()
        guard day < judge.today, sleep != nil || beats != nil || variability != nil else {
            return nil
        }
        let new = CheckIn(on: day)
        return try verdict(new, sums.line, judge) { old in
            var entry = old ?? new
            entry.sleepMinutes = entry.sleepMinutes ?? sleep
            entry.restingBeats = entry.restingBeats ?? beats
            entry.variabilityMicroseconds = entry.variabilityMicroseconds ?? variability
            return entry
        }
    }

    /// - Parameter share: Body fat in basis points, measured at the same time.
    private func weighIn(
        _ weight: HealthFile.Weight, _ share: Int64?, _ judge: OwnJudge
    ) throws -> OwnVerdict {
        let id = Self.id(.weighIn, of: weight.date)
        var new = WeighIn(id: id, on: weight.date, grams: weight.grams)
        new.source = .importer
        let isKept = try share == nil || hadBodyFat(weight, judge)
        return try verdict(new, weight.line, judge, content: { .weighIn($0) }) { old in
            var entry = old ?? new
            if old == nil || !isKept { entry.bodyFatBasisPoints = share }
            return entry
        }
    }

    /// Whether the weigh-in of a weight has a share of body fat, or had one that a person cleared.
    private func hadBodyFat(_ weight: HealthFile.Weight, _ judge: OwnJudge) throws -> Bool {
        let key = EntityKey(Kind.weighIn.name, Self.id(.weighIn, of: weight.date))
        return try judge.replica.read { try $0.wasWritten("body_fat_bp", of: key) }
    }

    /// Whether a share belongs to the weight of the same time, as a scale measures both: if it can be true, and
    /// did not come in before without a weight.
    private func belongs(_ fat: HealthFile.BodyFat, _ judge: OwnJudge) throws -> Bool {
        let entry = entry(fat)
        guard judge.problems(of: entry, line: fat.line).isEmpty else { return false }
        let presence = try judge.known(BodyFat.self, entry.id).presence
        return presence == .absent || presence == .undone
    }

    private func entry(_ fat: HealthFile.BodyFat) -> BodyFat {
        let id = Self.id(.bodyFat, of: fat.date)
        var new = BodyFat(id: id, on: fat.date, basisPoints: fat.basisPoints)
        new.source = .importer
        return new
    }

    private func activity(_ workout: HealthFile.Workout, _ judge: OwnJudge) throws -> OwnVerdict {
        let id = Self.id(.activity, of: workout.date, workout.source)
        let words = Self.words(workout.type)
        let name = words.isEmpty ? "Workout" : words.joined(separator: " ")
        var new = ActivityEntry(id: id, on: workout.date, name: Product.cut(name, 120))
        new.type = Self.type(words)
        new.durationSeconds = workout.seconds
        new.energyMillikilocalories = workout.energy
        // Each source has its own word, so that two records of one workout count once.
        new.source = Self.word(workout.source)
        return try verdict(new, workout.line, judge) { $0 ?? new }
    }

    /// What becomes of an entry: `merged` is given what is here, or `nil`.
    private func verdict<E: Entity>(
        _ new: E, _ line: Int, _ judge: OwnJudge, content: (E) -> ImportRow.Content? = { _ in nil },
        merged: (E?) -> E
    ) throws -> OwnVerdict {
        let known = try judge.known(E.self, new.id)
        if known.presence == .deleted { return OwnVerdict(rows: [.deleted(line)]) }
        let entry = merged(known.presence == .here ? known.entity : nil)
        let problems = judge.problems(of: entry, line: line)
        guard problems.isEmpty else { return OwnVerdict(rows: [.rejected(line, problems)]) }
        let outcome = judge.outcome(known, entry)
        let isSame = outcome == .same
        return OwnVerdict(
            rows: [
                ImportRow(
                    line: line, outcome: outcome, content: content(entry),
                    warnings: isSame ? [] : judge.warnings(about: entry))
            ], drafts: isSame ? [] : [judge.draft(known, entry)].compactMap(\.self))
    }

    /// By the instant, which is the same in an export of another zone.
    private static func id(
        _ kind: Kind, of date: LocalDate, _ source: String = ""
    ) -> Identifier {
        let name = "apple-health\n\(date.occurredAt ?? 0)\n\(source)"
        return Identities.imported(kind, contentHash: SHA256.hash(Array(name.utf8)), ordinal: 0)
    }

    /// `TraditionalStrengthTraining` in words; letters that are not of ASCII are left out.
    private static func words(_ type: String) -> [String] {
        var words: [String] = []
        var wasLower = false
        for byte in type.utf8 where (65...90).contains(byte & ~0x20) {
            let isUpper = byte & 0x20 == 0
            if words.isEmpty || isUpper && wasLower { words.append("") }
            words[words.count - 1].unicodeScalars.append(Unicode.Scalar(byte))
            wasLower = !isUpper
        }
        return words
    }

    /// `traditional_strength`: the words, without the last ones where they are longer than 24 bytes together.
    private static func type(_ words: [String]) -> UTF8Text? {
        var type = ""
        for word in words.map({ $0.lowercased() }) {
            let longer = type.isEmpty ? word : "\(type)_\(word)"
            guard longer.utf8.count <= 24 else { break }
            type = longer
        }
        return type.isEmpty ? nil : UTF8Text(type)
    }

    /// The name of a source as a word: `ana-s-apple-watch`. A longer one, and one of other letters, ends with a part of
    /// its hash, so that two sources have two words.
    private static func word(_ source: String) -> UTF8Text {
        let parts = source.lowercased().utf8.split {
            !(97...122).contains($0) && !(48...57).contains($0)
        }
        let word = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
        if !word.isEmpty, word.utf8.count <= 24 { return UTF8Text(word) }
        let hash = Array(SHA256.hash(Array(source.utf8)).prefix(3))
        let start = word.isEmpty ? "source" : String(decoding: word.utf8.prefix(17), as: UTF8.self)
        return UTF8Text("\(start)-\(hexadecimal(hash))")
    }
}
