import MacrologEvents

/// The messages of recovery as golden vectors.
enum RecoverVectors {
    private static let digest = PrefixDigest(bytes: (1...16).map { UInt8($0) }) ?? .empty

    static var requests: [(name: String, request: RecoverRequest)] {
        let t: Int64 = 1_790_000_000_000 << 16
        return [
            ("a log without events", RecoverRequest(marks: [], rows: [], digest: .empty)),
            (
                "two marks and two events given back",
                RecoverRequest(
                    marks: [.init(n: 17, digest: .empty), .init(n: 36_500, digest: digest)],
                    rows: [
                        .init(t: t + 5, body: VectorExamples.events[0].event.encoded()),
                        .init(t: t + 2, body: VectorExamples.events[1].event.encoded()),
                    ], digest: digest)
            ),
            (
                "a skeleton given back",
                RecoverRequest(
                    marks: [], rows: [.init(t: t + 5, body: VectorExamples.skeleton)],
                    digest: digest)
            ),
        ]
    }

    static var answers: [(name: String, answer: RecoverAnswer)] {
        [("equal up to a mark", RecoverAnswer(epoch: 70_000, head: 36_500, agreed: 17))]
    }
}

/// The messages of repair as golden vectors.
enum DigestVectors {
    static var requests: [(name: String, request: DigestRequest)] {
        [
            (
                "a whole log in sixteen parts",
                DigestRequest(
                    epoch: 70_000, ranges: [.init(after: 0, through: 100_000, parts: 16)])
            ),
            (
                "two ranges, one of them event by event",
                DigestRequest(
                    epoch: 7,
                    ranges: [
                        .init(after: 6_250, through: 6_641, parts: 16),
                        .init(after: 6_641, through: 6_666, parts: 25),
                    ])
            ),
        ]
    }

    static var answers: [(name: String, answer: DigestAnswer)] {
        let digest = PrefixDigest(bytes: (1...16).map { UInt8($0) }) ?? .empty
        return [("two parts", DigestAnswer(epoch: 70_000, digests: [digest, .empty]))]
    }
}

extension JSON {
    init(_ request: DigestRequest) {
        self = .object([
            ("version", JSON(request.version)), ("epoch", JSON(Int64(request.epoch))),
            (
                "ranges",
                .array(
                    request.ranges.map {
                        .array([JSON($0.after), JSON($0.through), JSON(Int64($0.parts))])
                    })
            ),
            ("ends", .array(request.ranges.map { .array($0.ends.map { JSON($0) }) })),
        ])
    }

    init(_ answer: DigestAnswer) {
        self = .object([
            ("epoch", JSON(Int64(answer.epoch))),
            ("digests", .array(answer.digests.map { JSON(hex: $0.bytes) })),
        ])
    }

    init(_ request: RecoverRequest) {
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

    init(_ answer: RecoverAnswer) {
        self = .object([
            ("epoch", JSON(Int64(answer.epoch))), ("head", JSON(answer.head)),
            ("agreed", JSON(answer.agreed)),
        ])
    }
}
