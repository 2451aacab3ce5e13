import Events

/// The messages of healing as golden vectors.
enum HealVectors {
    private static let digest = PrefixDigest(bytes: (1...16).map { UInt8($0) }) ?? .empty

    static var requests: [(name: String, request: HealRequest)] {
        let t: Int64 = 1_790_000_000_000 << 16
        return [
            ("a log without events", HealRequest(marks: [], rows: [], digest: .empty)),
            (
                "two marks and two events given back",
                HealRequest(
                    marks: [.init(n: 17, digest: .empty), .init(n: 36_500, digest: digest)],
                    rows: [
                        .init(t: t + 5, body: VectorExamples.events[0].event.encoded()),
                        .init(t: t + 2, body: VectorExamples.events[1].event.encoded()),
                    ], digest: digest)
            ),
            (
                "a skeleton given back",
                HealRequest(
                    marks: [], rows: [.init(t: t + 5, body: VectorExamples.skeleton)],
                    digest: digest)
            ),
        ]
    }

    static var answers: [(name: String, answer: HealAnswer)] {
        [("equal up to a mark", HealAnswer(epoch: 70_000, head: 36_500, agreed: 17))]
    }
}

extension JSON {
    init(_ request: HealRequest) {
        self = .object([
            ("version", JSON(request.version)),
            (
                "marks",
                .array(request.marks.map { .array([JSON($0.n), JSON(hex: $0.digest.bytes)]) })
            ),
            ("rows", .array(request.rows.map { .array([JSON($0.t), JSON(hex: $0.body)]) })),
            ("digest", JSON(hex: request.digest.bytes)),
        ])
    }

    init(_ answer: HealAnswer) {
        self = .object([
            ("epoch", JSON(Int64(answer.epoch))), ("head", JSON(answer.head)),
            ("agreed", JSON(answer.agreed)),
        ])
    }
}
