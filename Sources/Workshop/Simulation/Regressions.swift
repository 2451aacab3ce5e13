/// Seeds that failed once, each with what it found. The gate runs them first. Once worlds draw
/// differently from then, a seed runs another story; what it found is kept as its reason.
package enum Regressions {
    /// The simulation that a seed belongs to.
    package enum Test: String, Sendable { case model, world }

    package static let all: [(test: Test, seed: UInt64, reason: String)] = [
        (
            .model, 143_667,
            "an own event that a copy had said first stayed void when the server had lost the copy's"
        ),
        (.model, 93_469, "the same, and the event came back under a name that was given up"),
        (.model, 12_299, "a server that answers divergent to one of two files that share a name"),
        (.world, 92, "a base that went back once a disk had lost the last seal: stuck for ever"),
        (.world, 5, "two stories of one seed: receipts were written after the answer"),
        (.world, 10_000_000, "an act that met a damaged row ended the world"),
        (.world, 278, "what survived a power failure was looked for among damaged rows"),
        (
            .world, 2_363,
            "a row that was damaged during a repair got a digest of its own, as if it were sound"
        ),
        (.world, 1_977, "the number of an own event whose row was gone was given to another"),
        (
            .world, 164,
            "a payload was given up for a write of its own device, which was reissued and had not seen it"
        ),
        (
            .world, 10_004_580,
            "an own event that was set aside and came back stayed void after its seal was repaired"
        ),
        (
            .world, 10_011_010,
            "checks logged in so often that the quota ended a session with its receipt"
        ),
        (
            .world, 10_000_340,
            "a server that lost its last rows, and a device that lost the seals of them: refused for ever"
        ),
        (
            .world, 10_001_449,
            "an event whose bit had flipped was lost with the disk, and a report of it was asked for"
        ),
        (.model, 815, "an answer that reached a process which had not asked"),
    ]
}
