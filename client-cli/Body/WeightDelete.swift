import MacrologArgumentParsing
import Macrolog
import MacrologFaces

/// `weight delete`: deletes weigh-ins.
enum WeightDelete {
    static let ids = Parameter.arguments(
        "weigh-ins", .id, "The weigh-ins, by the last digits of their ids.", atLeastOne: true)

    static let command = Verb(
        "weight delete", "Delete weigh-ins.", example: "weight delete c55d", run: run
    ) { ids }

    static func run(words: ParsedArguments, home: inout Home) throws {
        let targets = try words[ids].map { try home.find(WeighIn.self, $0, ids, words) }
        let weighIns = try home.replica.read { diary in
            try targets.map { try diary.require(WeighIn.self, $0) }
        }
        try home.replica.write { try $0.record(weighIns.map { Draft.delete($0) }) }
        try home.show(.deleted(targets)) { home in
            let shown = Shown(preferences: try home.preferences)
            for weighIn in weighIns {
                home.say(
                    "Deleted \(shown.weight(weighIn.grams)) of \(weighIn.localDate.day)  "
                        + weighIn.id.lastDigits(4))
            }
        }
    }
}
