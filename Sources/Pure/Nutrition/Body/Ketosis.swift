/// What a level of ketones means, and its units.
///
/// Only a blood value says whether a person is in ketosis: urine strips measure another substance
/// and breath a third, and neither converts.
package enum Ketosis {
    /// Whether a level is above 0.5 mmol/l; 0.5 itself is not. `nil` for urine and breath.
    package static func isInKetosis(micromoles: Int64, method: KetoneMethod) -> Bool? {
        method == .blood ? micromoles > 500 : nil
    }

    /// The zone of a level in micromoles per litre; `nil` for urine and breath.
    package static func zone(micromoles: Int64, method: KetoneMethod) -> KetoneZone? {
        guard method == .blood else { return nil }
        return switch micromoles {
        case ..<500: KetoneZone.none
        case ..<1_500: .light
        case ...3_000: .optimal
        default: .high
        }
    }
}

/// Where a level of ketones in blood lies. A level on a boundary belongs above it, except 3.0 mmol/l.
public enum KetoneZone: CaseIterable, Hashable, Sendable {
    /// Below 0.5 mmol/l.
    case none
    /// 0.5 to 1.5 mmol/l.
    case light
    /// 1.5 to 3.0 mmol/l.
    case optimal
    /// Above 3.0 mmol/l.
    case high

    /// The word for it.
    public var name: String {
        switch self {
        case .none: "none"
        case .light: "light"
        case .optimal: "optimal"
        case .high: "high"
        }
    }

    /// An additional remark; `nil` for most zones.
    public var warning: String? {
        self == .high
            ? "above 3 mmol/l: with diabetes this can be ketoacidosis, ask a doctor today" : nil
    }
}

/// Concentrations in blood: stored in micromoles per litre, told in mmol/l or mg/dl. The factor
/// depends on the substance.
package enum BloodSubstance: Hashable, Sendable {
    /// Beta-hydroxybutyrate, 104.105 g/mol: 1 mmol/l is 10.4105 mg/dl.
    case betaHydroxybutyrate
    /// Glucose, 180.16 g/mol: 1 mmol/l is 18.016 mg/dl.
    case glucose

    private var milligramsPerMole: Int64 {
        self == .betaHydroxybutyrate ? 104_105 : 180_160
    }

    /// Thousandths of mg/dl, half to even.
    package func milligramsPerDeciliterMilli(micromoles: Int64) -> Int64 {
        Rounding.scaled(micromoles, by: milligramsPerMole, over: 10_000)
    }

    /// Micromoles per litre of thousandths of mg/dl, half to even.
    package func micromoles(milligramsPerDeciliterMilli milli: Int64) -> Int64 {
        Rounding.scaled(milli, by: 10_000, over: milligramsPerMole)
    }
}

extension Ketone {
    /// The micromoles per litre of a level in blood that a meter shows in thousandths of mg/dl, half to
    /// even.
    public static func micromoles(milligramsPerDeciliterMilli milli: Int64) -> Int64 {
        BloodSubstance.betaHydroxybutyrate.micromoles(milligramsPerDeciliterMilli: milli)
    }
}
