import MacrologEvents
import MacrologWire

/// The vector files, as this room would write them. Also compiled for WebAssembly, where the same
/// text must come out (`.ci/vectors`).
enum VectorFiles {
    static let names = ["events", "messages", "refused", "registers", "seals"]

    /// The text of a file.
    static func text(_ name: String) -> String {
        let entries =
            switch name {
            case "events": events()
            case "messages": messages()
            case "refused": refused()
            case "registers": registers()
            default: seals()
            }
        return JSON.array(entries).rendered() + "\n"
    }

    private static func events() -> [JSON] {
        VectorExamples.events.map { name, event in
            let bytes = event.encoded()
            return .object([
                ("name", .string(name)), ("event", JSON(event)), ("hex", JSON(hex: bytes)),
                ("sha256", JSON(hex: SHA256.hash(bytes))),
            ])
        }
    }

    private static func refused() -> [JSON] {
        VectorExamples.refused.map { name, form, bytes in
            guard let error = decodingError(form, bytes) else {
                preconditionFailure("\(name): accepted")
            }
            return .object([
                ("name", .string(name)), ("as", .string(form)), ("hex", JSON(hex: bytes)),
                ("code", .string(error.code.rawValue)), ("offset", .int(Int64(error.offset))),
            ])
        }
    }

    static func decodingError(_ form: String, _ bytes: [UInt8]) -> CBORError? {
        do throws(CBORError) {
            switch form {
            case "event": _ = try Event.decoded(bytes)
            case "request": _ = try SyncRequest.decoded(bytes)
            default: _ = try SyncAnswer.decoded(bytes)
            }
            return nil
        } catch {
            return error
        }
    }

    private static func registers() -> [JSON] {
        VectorExamples.registers.map { name, events in
            let rows: [JSON] = events.map { event, seal in
                .object([
                    ("n", seal.map { JSON($0.n) } ?? .null),
                    ("t", seal.map { JSON($0.t) } ?? .null),
                    ("hex", JSON(hex: event.encoded())),
                ])
            }
            guard case .object(let result) = register(events) else { return .null }
            return .object([("name", .string(name)), ("events", .array(rows))] + result)
        }
    }

    static func register(_ events: [VectorExamples.Sealed]) -> JSON {
        var (state, digest) = (EntityState(), PrefixDigest.empty)
        for (event, seal) in events {
            let stamp = Stamp(dot: event.dot, base: event.base, seal: seal)
            for change in event.changes { state.fold(change, stamp: stamp) }
            guard let seal else { continue }
            digest.add(hash: event.encoded().withUnsafeBytes { SHA256.words($0) }, seal: seal)
        }
        return .object([
            ("fields", JSON(state.fields)),
            ("tags", .array(state.members("tags").map { JSON($0) })),
            ("deleted", .bool(state.isDeleted)), ("newer", .bool(state.isEditedByNewerVersion)),
            ("conflicts", .array(state.conflicts.map { JSON($0) })),
            ("state", JSON(hex: state.encoded())), ("digest", JSON(hex: digest.bytes)),
        ])
    }

    private static func seals() -> [JSON] {
        VectorExamples.seals.map { name, now, age, floor in
            .object([
                ("name", .string(name)), ("now", JSON(now)), ("age", JSON(age)),
                ("floor", JSON(floor)),
                ("t", JSON(Sealing.time(age: age, now: now, floor: floor))),
            ])
        }
    }

    private static func messages() -> [JSON] {
        let requests = VectorExamples.requests.map { name, request in
            message(name, "request", request.encoded(), JSON(request))
        }
        let answers = VectorExamples.answers.map { name, answer in
            message(name, "answer", answer.encoded(), JSON(answer))
        }
        let recovery =
            RecoverVectors.requests.map { name, request in
                message(name, "heal request", request.encoded(), JSON(request))
            }
            + RecoverVectors.answers.map { name, answer in
                message(name, "heal answer", answer.encoded(), JSON(answer))
            }
        let repair =
            DigestVectors.requests.map { name, request in
                message(name, "digest request", request.encoded(), JSON(request))
            }
            + DigestVectors.answers.map { name, answer in
                message(name, "digest answer", answer.encoded(), JSON(answer))
            }
        return requests + answers + recovery + repair
    }

    private static func message(
        _ name: String, _ form: String, _ bytes: [UInt8], _ message: JSON
    ) -> JSON {
        .object([
            ("name", .string(name)), ("as", .string(form)), ("message", message),
            ("hex", JSON(hex: bytes)),
        ])
    }
}
