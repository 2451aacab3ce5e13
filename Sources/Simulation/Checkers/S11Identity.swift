/// S11: two events never share a name, but for files that could not know of each other.
enum S11Identity {
    static func problems(_ facts: Facts) -> [String] {
        facts.namesUsedTwice > 0
            ? ["\(facts.namesUsedTwice) events have the name of another"] : []
    }
}
