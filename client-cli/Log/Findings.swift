import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

extension Finding {
    /// The finding as text: the field's name, the problem, what to type. Bounds are in the person's units,
    /// where these are known.
    func sentence(_ shown: Shown?) -> String {
        let kindTitle = Kind.named(kind)?.title ?? kind.string
        let title = shownTitle(of: field, in: kind)
        let bound = shown.flatMap { boundInUnits(of: $0) }
        let (problem, hint) = bound ?? (problem.string, hint.string)
        return printable("\(kindTitle): \(title) \(problem): \(hint)")
    }

    /// Problem and hint of a number beyond its bounds, where the person's units are not those in which
    /// the library names them: kilocalories, kilograms, centimetres, millilitres.
    private func boundInUnits(of shown: Shown) -> (problem: String, hint: String)? {
        guard let spec = Kind.named(kind)?.field(field), let bounds = spec.bounds else {
            return nil
        }
        let isAbove = problem.string.hasPrefix("is above ")
        guard isAbove || problem.string.hasPrefix("is below "),
            shown.differs(in: spec.content(of: .int(0)))
        else { return nil }
        func words(_ number: Int64) -> String {
            formatted(.int(number), of: field, in: kind, shown)
        }
        let broken = isHard ? bounds.accepted : bounds.usual
        let side = isAbove ? "is above" : "is below"
        let bound = words(isAbove ? broken.upperBound : broken.lowerBound)
        guard isHard else { return ("\(side) \(bound), which is unusual", hint.string) }
        let (least, most) = (bounds.accepted.lowerBound, bounds.accepted.upperBound)
        return ("\(side) \(bound)", "type a number from \(words(least)) to \(words(most))")
    }
}

extension Shown {
    /// Whether a stored number is shown in another unit than usual.
    fileprivate func differs(in content: FieldContent?) -> Bool {
        switch content {
        case .number(_, .millikilocalories?):
            preferences.energyUnit ?? .kilocalories != .kilocalories
        case .number(_, .grams?): preferences.weightUnit ?? .kilograms != .kilograms
        case .number(_, .millimeters?), .height?:
            preferences.heightUnit ?? .centimeters != .centimeters
        case .number(_, .microliters?): preferences.volumeUnit ?? .milliliters != .milliliters
        default: false
        }
    }
}
