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
        let weighIns = try home.delete(words[ids], ids, words, of: WeighIn.self) {
            try $0.require(WeighIn.self, $1)
        }
        try home.show(.deleted(weighIns.map(\.id))) { home in
            let shown = Shown(preferences: try home.preferences)
            for weighIn in weighIns {
                home.say(
                    "Deleted \(shown.weight(weighIn.grams)) of \(weighIn.localDate.day)  "
                        + weighIn.id.lastDigits(4))
            }
        }
    }
}
