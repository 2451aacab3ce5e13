import MacrologEvents

/// Two events never share a dot, except events of files that could not know of each other.
enum IdentityCheck {
    static func problems(_ facts: Facts) -> [String] {
        facts.namedTwice.map { "\($0.type), \($0.dot.seq) of its device, has the name of another" }
    }
}
